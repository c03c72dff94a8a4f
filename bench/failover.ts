/**
 * Failovers of PostgreSQL under writes: `npm run build && node dist/bench/failover.js [failovers]`. Two nodes share a primary with a
 * synchronous standby, and clients add domains to both without end. The primary is killed with all its processes, crashes, or
 * falls silent, in turn; its standby is promoted, and gets a standby of its own for the next time. What every client was told
 * is compared with what the store has in the end.
 */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readJson } from '../kernel/config/configuration.ts';
import type { Core } from '../kernel/run/core.ts';
import { projectDir } from '../kernel/kit/files/project-dir.ts';
import { PostgresPair } from '../test/support/postgres-pair.ts';
import type { Postgres } from '../test/support/postgres.ts';
import { until } from '../test/support/until.ts';
import { coreOf, machineText, startHostkeep, temporaryFolder, tokenFor, type Running } from './support/processes.ts';

const WRITERS_OF_EACH = 4;
/** Between two writes of a client: what is measured is not the throughput. */
const PAUSE_MS = 20;
/** How the primary fails, how long that is before the promotion, and how it ends if it does not by itself. */
interface Failure {
  readonly name: string;
  readonly noticedMs: number;
  fail(server: Postgres): void;
  end?(server: Postgres): void;
}
const FAILURES: readonly Failure[] = [
  { name: 'killed', noticedMs: 1000, fail: (server) => server.signal('SIGKILL') },
  { name: 'crashed', noticedMs: 1000, fail: (server) => server.stop('immediate') },
  // What promotes a standby waits longer for a server that may only be slow.
  {
    name: 'silent',
    noticedMs: 8000,
    fail: (server) => server.signal('SIGSTOP'),
    end: (server) => server.signal('SIGKILL'),
  },
];

/** Two nodes with a store, and an account without limits. */
async function twoNodes(url: string): Promise<{ core: Core; nodes: Running[]; token: string }> {
  const [data, ...others] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  const settings = { store: { url }, log: { level: 'fatal' } };
  const core = await coreOf(data, settings);
  const plans = readJson(join(projectDir, 'config/plans.json')) as Record<string, { features: string[] }>;
  await core.plans.create('bench', { limits: { names_limit: 0 } }, plans['developer']?.features ?? []);
  const account = await core.accounts.create({ username: 'bench', role: 'user', plan: 'bench', passwordHash: '' });
  const nodes: Running[] = [];
  for (const folder of others) {
    copyFileSync(join(data, 'keys.json'), join(folder, 'keys.json'));
    nodes.push(await startHostkeep(folder, settings));
  }
  return { core, nodes, token: await tokenFor(core, account) };
}

/** Clients that add one domain after the other to a node. */
class Writers {
  readonly acknowledged: string[] = [];
  /** How many were answered with each other status; 0 = not at all. */
  readonly refused = new Map<number, number>();
  /** When the first one since the last call of `mark` was acknowledged, by the monotonic clock; 0 = none yet. */
  firstMs = 0;
  readonly #stopping = new AbortController();
  readonly #done: Promise<unknown>;

  constructor(node: Running, name: string, token: string) {
    const clients = Array.from({ length: WRITERS_OF_EACH }, (_, i) => this.#write(node, `${name}${i}`, token));
    this.#done = Promise.all(clients);
  }

  mark(): void {
    this.firstMs = 0;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#done;
  }

  async #write(node: Running, name: string, token: string): Promise<void> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    for (let n = 0; !this.#stopping.signal.aborted; n += 1) {
      const domain = `${name}-${n}.example`;
      const body = JSON.stringify({ domain_url: domain });
      const status = await fetch(`${node.url}/api/domains/new`, { method: 'POST', headers, body }).then(
        async (response) => response.text().then(() => response.status),
        () => 0,
      );
      if (status === 201) {
        this.acknowledged.push(domain);
        this.firstMs ||= performance.now();
      } else this.refused.set(status, (this.refused.get(status) ?? 0) + 1);
      await delay(PAUSE_MS);
    }
  }
}

/** Resolves with the milliseconds from the promotion until both nodes have written again. */
async function failOver(pair: PostgresPair, writers: readonly Writers[], failure: Failure): Promise<number> {
  const allWrite = async () => {
    for (const each of writers) each.mark();
    await until('both nodes write', () => writers.every(({ firstMs }) => firstMs > 0));
  };
  await allWrite();
  await delay(1000 + Math.random() * 2000); // at any point of a write
  failure.fail(pair.primary);
  await delay(failure.noticedMs);
  const writing = allWrite();
  const former = await pair.promote();
  const promotedMs = performance.now();
  await writing;
  const againMs = Math.max(...writers.map(({ firstMs }) => firstMs));
  failure.end?.(former);
  await pair.replace(former);
  return Math.max(0, againMs - promotedMs);
}

/** What the store has of the acknowledged writes: those that are missing, and those with an event more than one. */
async function compare(core: Core, acknowledged: readonly string[]): Promise<{ lost: number; doubled: number }> {
  const domains = await core.store.all<{ name: string }>("select name from domains where state = 'active'");
  const events = await core.store.all<{ data: string }>("select data from events where type = 'domain.added'");
  const names = new Set(domains.map(({ name }) => name));
  const added = events.map(({ data }) => (JSON.parse(data) as { domain_url: string }).domain_url);
  const told = new Set(added);
  const lost = acknowledged.filter((name) => !names.has(name) || !told.has(name));
  return { lost: lost.length, doubled: added.length - told.size };
}

/** Prints how many acknowledged writes were lost or doubled, and how long nobody could write after a promotion. */
async function failover([count = '50']: readonly string[]): Promise<void> {
  const pair = await PostgresPair.start([]);
  try {
    const { core, nodes, token } = await twoNodes(pair.urlOf('bench'));
    const writers = nodes.map((node, i) => new Writers(node, `n${i}w`, token));
    const gaps = new Map<string, number[]>(FAILURES.map(({ name }) => [name, []]));
    for (let n = 0; n < Number(count); n += 1) {
      const failure = FAILURES[n % FAILURES.length];
      if (failure !== undefined) gaps.get(failure.name)?.push(await failOver(pair, writers, failure));
    }
    await Promise.all(writers.map((each) => each.stop()));
    const acknowledged = writers.flatMap((each) => each.acknowledged);
    const { lost, doubled } = await compare(core, acknowledged);
    console.log(`${count} failovers: ${acknowledged.length} acknowledged writes, ${lost} lost, ${doubled} doubled`);
    for (const [name, ms] of [...gaps, ['all', [...gaps.values()].flat()] as const]) printGaps(name, ms);
    for (const [status, n] of writers.flatMap(({ refused }) => [...refused])) console.log(`  answered ${status}: ${n}`);
    for (const node of nodes) await node.stop();
    await core.close();
  } finally {
    pair.remove();
  }
}

function printGaps(name: string, gapsMs: readonly number[]): void {
  const sorted = gapsMs.toSorted((a, b) => a - b);
  const [median = 0, largest = 0] = [sorted[sorted.length >> 1], sorted.at(-1)];
  console.log(
    `  ${name} (${sorted.length}): ${median.toFixed(0)} ms without writes after the promotion, ${largest.toFixed(0)} at most`,
  );
}

console.log(machineText());
await failover(process.argv.slice(2));
