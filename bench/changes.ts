/**
 * What changes of accounts cost those who read: `npm run build && node dist/bench/changes.js [gate] [listeners]`, on a PostgreSQL
 * of its own.
 *
 * - `gate`: processor time of a guarded read, and what the store is asked, while another node changes another account, or a plan.
 * - `listeners`: changes a second, and the server's processor time for each, while 1, 4, 16 and 64 processes listen; what a node's
 *   connections are.
 */
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Core } from '../kernel/run/core.ts';
import { createLog } from '../kernel/log.ts';
import { Revision } from '../kernel/store/revision.ts';
import type { Store } from '../kernel/store/store.ts';
import { Leadership } from '../kernel/workers/leadership.ts';
import { soleWorker } from '../kernel/workers/sole-worker.ts';
import { Postgres, schemaAt } from '../test/support/postgres.ts';
import { processorSeconds } from './support/load.ts';
import { coreOf, machineText, startHostkeep, temporaryFolder, tokenFor } from './support/processes.ts';
import { openStore } from '../kernel/run/data/open-store.ts';

const PARTS = ['gate', 'listeners'];
const chosen = process.argv.slice(2).filter((each) => PARTS.includes(each));
const isChosen = (part: string) => chosen.length === 0 || chosen.includes(part);
const READERS = 200;
const CLIENTS = 8;
const ROUND_MS = 4000;
const CHANGES = 1000;

const postgres = Postgres.start(['shared_buffers=256MB', 'max_connections=400']);

/** Resolves with the tokens of accounts, of which `user0` is changed and does not read. */
async function makeReaders(core: Core): Promise<string[]> {
  const tokens: string[] = [];
  for (let i = 0; i <= READERS; i += 1) {
    const username = `user${i}`;
    const account = await core.accounts.create({ username, role: 'user', plan: 'developer', passwordHash: 'x' });
    if (i > 0) tokens.push(`Bearer ${await tokenFor(core, account)}`);
  }
  return tokens;
}

/** Runs `change` so often, until `isOver`. */
async function atRate(
  perSecond: number,
  change: (i: number) => Promise<unknown>,
  isOver: () => boolean,
): Promise<void> {
  if (perSecond === 0) return;
  for (let i = 0; !isOver(); i += 1) await Promise.all([change(i), delay(1000 / perSecond)]);
}

async function read(url: string, authorization = ''): Promise<void> {
  const answer = await fetch(url, { headers: { authorization } });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`a read was answered ${answer.status}`);
}

async function gate(): Promise<void> {
  const settings = { store: { url: schemaAt(postgres.url, 'gate') } };
  const [data, other] = [temporaryFolder(), temporaryFolder()];
  const core = await coreOf(data, settings);
  const tokens = await makeReaders(core);
  copyFileSync(join(data, 'keys.json'), join(other, 'keys.json'));
  const server = await startHostkeep(other, settings);
  const url = `${server.url}/system/hosting/plan`;
  for (const token of tokens) await read(url, token); // remembered from now on
  const statements = async () => {
    await delay(1100); // until the server has counted them
    const sql = 'select xact_commit as n from pg_stat_database where datname = current_database()';
    return (await core.store.get<{ n: number }>(sql))?.n ?? 0;
  };
  const kinds: Record<string, (i: number) => Promise<unknown>> = {
    'an account': (i) => core.accounts.setFeature('user0', 'dns', i % 2 === 0),
    'a plan': (i) => core.plans.update('basic', { limits: { cpu_limit: 1 + (i % 2) } }),
  };
  for (const [kind, change] of Object.entries(kinds))
    for (const perSecond of [0, 10, 50]) {
      let [reads, isOver] = [0, false];
      const before = [await statements(), processorSeconds(server.child.pid)] as const;
      const changing = atRate(perSecond, change, () => isOver);
      const end = performance.now() + ROUND_MS;
      const client = async (first: number) => {
        for (let i = first; performance.now() < end; i += CLIENTS, reads += 1)
          await read(url, tokens[i % tokens.length]);
      };
      await Promise.all(Array.from({ length: CLIENTS }, (_, i) => client(i)));
      isOver = true;
      await changing;
      const us = ((processorSeconds(server.child.pid) - before[1]) / reads) * 1e6;
      const asked = ((await statements()) - before[0]) / reads;
      console.log(
        `gate: ${perSecond} changes of ${kind} a second: ${reads} reads, ${us.toFixed(0)} µs each, ${asked.toFixed(3)} transactions of the store each`,
      );
    }
  await server.stop();
  await core.close();
}

/** The processes of the server, those of its connections included. */
function processesOf(server: Postgres): number[] {
  const [pid = 0] = readFileSync(join(server.folder, 'data/postmaster.pid'), 'utf8').split('\n').map(Number);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  return [pid, ...children];
}

/** The processor time of each process that is still there, in seconds; an idle one spends less than the ticks of `stat` in ten. */
function timesOf(processes: readonly number[]): Map<number, number> {
  return new Map(
    processes.flatMap((pid): [number, number][] =>
      existsSync(`/proc/${pid}/stat`)
        ? [[pid, Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e9]]
        : [],
    ),
  );
}

const privateMiB = (pid: number): number => {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const sizes = [...text.matchAll(/^Private_\w+:\s+(\d+) kB/gm)].map(([, size]) => Number(size));
  return sizes.reduce((sum, each) => sum + each, 0) / 1024;
};

async function listeners(): Promise<void> {
  const url = schemaAt(postgres.url, 'listeners');
  const core = await coreOf(temporaryFolder(), { store: { url } });
  for (let i = 0; i < CLIENTS; i += 1)
    await core.accounts.create({ username: `user${i}`, role: 'user', plan: 'developer', passwordHash: 'x' });
  const heard: { revision: Revision; store: Store }[] = [];
  const counted = { heard: 0 };
  const change = async (count: number) => {
    const client = async (first: number) => {
      for (let i = first; i < count; i += CLIENTS)
        await core.store.write((tx) =>
          tx.run('update accounts set locale = ? where username = ?', `${i}`, `user${first}`),
        );
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, i) => client(i)));
  };
  for (const wanted of [1, 4, 16, 64]) {
    while (heard.length < wanted - 1) {
      const store = await openStore(temporaryFolder(), {
        url,
        password: '',
        stale_seconds: 10,
        statement_seconds: 10,
        connections: 3,
      });
      const revision = new Revision(store, createLog('silent'), () => void (counted.heard += 1));
      await revision.follow({ leadership: Leadership.alone(), workers: soleWorker() });
      heard.push({ revision, store });
    }
    counted.heard = 0;
    await change(CLIENTS * 10); // opens the connections
    while (counted.heard < CLIENTS * 10 * heard.length) await delay(5);
    counted.heard = 0;
    const before = timesOf(processesOf(postgres));
    const started = performance.now();
    await change(CHANGES);
    const seconds = (performance.now() - started) / 1000;
    while (counted.heard < CHANGES * heard.length) await delay(5);
    const times = [...timesOf([...before.keys()])].map(([pid, seconds]) => seconds - (before.get(pid) ?? 0));
    const us = (times.reduce((sum, each) => sum + each, 0) / CHANGES) * 1e6;
    console.log(
      `listeners: ${wanted}: ${Math.round(CHANGES / seconds)} changes a second, all heard ${((performance.now() - started) / 1000 - seconds).toFixed(2)} s after the last; ${us.toFixed(0)} µs of the server for each`,
    );
  }
  const [idle, seconds] = [timesOf(processesOf(postgres)), 10];
  await delay(seconds * 1000);
  const spent = [...timesOf([...idle.keys()])].reduce((sum, [pid, now]) => sum + now - (idle.get(pid) ?? 0), 0);
  console.log(
    `listeners: ${((spent / seconds / heard.length) * 1e6).toFixed(0)} µs of the server a second for each when idle`,
  );
  const memory = [...timesOf(processesOf(postgres)).keys()].map(privateMiB);
  console.log(
    `listeners: ${memory.length} processes of the server have ${memory.reduce((a, b) => a + b, 0).toFixed(0)} MiB of their own`,
  );
  for (const { revision, store } of heard) {
    await revision.close();
    await store.close();
  }
  await core.close();
}

console.log(machineText());
try {
  if (isChosen('gate')) await gate();
  if (isChosen('listeners')) await listeners();
} finally {
  postgres.remove();
}
