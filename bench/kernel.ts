/**
 * What the kernel costs: `npm run build && node dist/bench/kernel.js`. Every figure is a ratio to something measured
 * in the same run, turn by turn, on the same machine; bench/README.md keeps them.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Account } from '../kernel/identity/accounts.ts';
import type { Core } from '../kernel/core.ts';
import { projectDir } from '../kernel/system/project-dir.ts';
import { additions } from './support/additions.ts';
import { describeLoad, interleaved, load, loadTool, median, type Target } from './support/load.ts';
import {
  coreOf,
  machineText,
  startBare,
  startHostkeep,
  startProgram,
  temporaryFolder,
  tokenFor,
  type Running,
} from './support/processes.ts';

const PASSWORD = 'correct horse battery staple';
const PLAN = '/system/hosting/plan';
const DASHBOARD = '/api/dashboard';
const running: Running[] = [];

function keep(server: Running): Running {
  running.push(server);
  return server;
}

function report(figure: string, ratio: number, bound: string): void {
  console.log(`  ${figure.padEnd(64)} ${ratio.toFixed(2).padStart(7)}   (wanted: ${bound})`);
}

/** Accounts of which the first one is asked; each has a login. */
async function fill(
  data: string,
  accounts: number,
  domainsOfEach: number,
): Promise<{ core: Core; first: Account; token: string }> {
  const core = await coreOf(data);
  const passwordHash = await core.passwords.hash(PASSWORD);
  await core.store.write(async (tx) => {
    for (let i = 0; i < accounts; i += 1) {
      await tx.run(
        "insert into accounts (username, role, password_hash, plan, created_at) values (?, 'user', ?, 'developer', ?)",
        `user${i}`,
        passwordHash,
        Date.now(),
      );
    }
  });
  const server = await startHostkeep(data); // its plugins make their tables
  await server.stop();
  if (domainsOfEach > 0) await fillDomains(core, accounts, domainsOfEach);
  const first = await core.accounts.get('user0');
  return { core, first, token: await tokenFor(core, first) };
}

async function fillDomains(core: Core, accounts: number, domainsOfEach: number): Promise<void> {
  for (let i = 0; i < accounts; i += 500) {
    await core.store.write(async (tx) => {
      for (let owner = i; owner < Math.min(accounts, i + 500); owner += 1) {
        for (let n = 0; n < domainsOfEach; n += 1) {
          const name = `site${n}-of-user${owner}.example`;
          await tx.run(
            "insert into domains (account_id, name, reversed, docroot, is_main, state, claimed_by, created_at) select id, ?, ?, ?, 1, 'active', '', ? from accounts where username = ?",
            name,
            name.split('.').toReversed().join('.'),
            name,
            Date.now(),
            `user${owner}`,
          );
        }
      }
    });
  }
}

async function bytesOf(server: Running, path: string, token: string): Promise<string> {
  const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${token}` } });
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
  return response.text();
}

async function startFastify(path: string, body: string, data: string): Promise<Running> {
  const file = join(temporaryFolder(), 'body');
  writeFileSync(file, body);
  return keep(
    await startProgram(join(import.meta.dirname, 'support/fastify.js'), [path, file, join(data, 'keys.json')]),
  );
}

async function guardedReads(small: Running, data: string, token: string): Promise<void> {
  const plan = await bytesOf(small, PLAN, token);
  const dashboard = await bytesOf(small, DASHBOARD, token);
  const fastify = await startFastify(PLAN, plan, data);
  const barePlan = keep(await startBare(PLAN, token, plan));
  const bareDashboard = keep(await startBare(DASHBOARD, token, dashboard));
  const results = await interleaved([
    { name: 'bare uWS, plan', url: barePlan.url + PLAN, token },
    { name: 'Hostkeep, plan', url: small.url + PLAN, token },
    { name: 'Fastify, plan', url: fastify.url + PLAN, token },
    { name: 'bare uWS, dashboard', url: bareDashboard.url + DASHBOARD, token },
    { name: 'Hostkeep, dashboard', url: small.url + DASHBOARD, token },
  ]);
  console.log(`\nGuarded reads (plan ${plan.length} bytes, dashboard ${dashboard.length} bytes)`);
  for (const [name, result] of results) console.log(`  ${describeLoad(name, result)}`);
  const rate = (name: string) => results.get(name)?.requestsPerSecond ?? Number.NaN;
  report('plan: Hostkeep / bare uWS', rate('Hostkeep, plan') / rate('bare uWS, plan'), '≥ 0.90');
  report('plan: Hostkeep / Fastify 5 with @fastify/jwt', rate('Hostkeep, plan') / rate('Fastify, plan'), '≥ 4');
  report('dashboard: Hostkeep / bare uWS', rate('Hostkeep, dashboard') / rate('bare uWS, dashboard'), '≥ 0.70');
}

async function largeStore(small: Target[], large: Target[]): Promise<void> {
  const results = await interleaved([...small, ...large], { rounds: 3 });
  console.log('\n10,000 accounts and 100,000 domains against a store of 60 and 600');
  for (const [name, result] of results) console.log(`  ${describeLoad(name, result)}`);
  for (const [i, target] of small.entries()) {
    const ratio =
      (results.get(large[i]?.name ?? '')?.requestsPerSecond ?? Number.NaN) /
      (results.get(target.name)?.requestsPerSecond ?? Number.NaN);
    report(`${target.name} against ${large[i]?.name}`, ratio, '≥ 0.80');
  }
}

async function domainsAdded(server: Running, data: string, token: string, name: string): Promise<void> {
  const { apiMs, bareMs } = await additions(server, data, token);
  console.log(
    `\nPOST /api/domains/new, ${name} store: p50 ${apiMs.toFixed(2)} ms, bare durable insert p50 ${bareMs.toFixed(2)} ms`,
  );
  report('domain added / bare durable insert, p50', apiMs / bareMs, '≤ 2');
}

async function loginStorm(server: Running, token: string): Promise<void> {
  const target = { name: 'plan', url: server.url + PLAN, token };
  const light = { seconds: 4, connections: 8 };
  const idle = await load(target, light);
  const started = performance.now();
  const storm = Promise.all(
    Array.from({ length: 50 }, async (_, i) => {
      const response = await fetch(`${server.url}/api/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: `user${i}`, password: PASSWORD }),
      });
      await response.arrayBuffer();
      return response.status;
    }),
  ).then((statuses) => ({ statuses, ms: performance.now() - started }));
  const busy = await load(target, { ...light, seconds: 3 });
  const { statuses, ms } = await storm;
  console.log(
    `\n50 logins at once (${statuses.filter((status) => status === 200).length} answered 200, all within ${Math.round(ms)} ms)`,
  );
  console.log(`  ${describeLoad('plan, idle', idle)}\n  ${describeLoad('plan, during the storm', busy)}`);
  report('p99 of guarded reads: storm / idle', busy.p99Ms / idle.p99Ms, '≤ 3');
}

/** From the start of the process to its ready line, and the memory half a minute later. */
async function startUp(data: string): Promise<void> {
  const settings = join(temporaryFolder(), 'settings.json');
  writeFileSync(settings, JSON.stringify({ listen: '127.0.0.1:0', admin_listen: '127.0.0.1:0', data }));
  const times = { hostkeep: [] as number[], node: [] as number[] };
  const memory = { hostkeep: 0, node: 0 };
  for (let round = 0; round < 7; round += 1) {
    let started = performance.now();
    const child = spawn(
      process.execPath,
      [join(projectDir, 'dist/kernel/cli/main.js'), 'serve', '--config', settings],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    for (let text = ''; !text.includes('"listening"');) text += String((await once(child.stdout, 'data'))[0]);
    times.hostkeep.push(performance.now() - started);
    if (round === 6) {
      await new Promise((resolve) => setTimeout(resolve, 30_000)); // idle means idle
      memory.hostkeep = rssOf(child.pid);
    }
    child.kill('SIGTERM');
    await once(child, 'exit');
    started = performance.now();
    execFileSync(process.execPath, ['-e', '0']);
    times.node.push(performance.now() - started);
  }
  const bare = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  await new Promise((resolve) => setTimeout(resolve, 3000));
  memory.node = rssOf(bare.pid);
  bare.kill('SIGTERM');
  console.log(
    `\nStart to listening ${median(times.hostkeep).toFixed(0)} ms, node -e 0 ${median(times.node).toFixed(0)} ms; idle ${memory.hostkeep.toFixed(0)} MiB, bare Node ${memory.node.toFixed(0)} MiB`,
  );
  report('start to listening / node -e 0', median(times.hostkeep) / median(times.node), '≤ 8');
  report('memory when idle / bare Node', memory.hostkeep / memory.node, '≤ 2.5');
}

function rssOf(pid: number | undefined): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid ?? 0}/status`, 'utf8'))?.[1]) / 1024;
}

console.log(`Kernel bench with ${loadTool}: ${machineText()}`);
const [smallData, largeData] = [temporaryFolder(), temporaryFolder()];
const small = await fill(smallData, 60, 10);
const large = await fill(largeData, 10_000, 10);
const smallServer = keep(await startHostkeep(smallData));
const largeServer = keep(await startHostkeep(largeData));
await guardedReads(smallServer, smallData, small.token);
await largeStore(
  [
    { name: 'plan, small', url: smallServer.url + PLAN, token: small.token },
    { name: 'dashboard, small', url: smallServer.url + DASHBOARD, token: small.token },
  ],
  [
    { name: 'plan, large', url: largeServer.url + PLAN, token: large.token },
    { name: 'dashboard, large', url: largeServer.url + DASHBOARD, token: large.token },
  ],
);
await domainsAdded(smallServer, smallData, small.token, 'small');
await domainsAdded(largeServer, largeData, large.token, 'large');
await loginStorm(smallServer, small.token);
for (const server of running) await server.stop();
await startUp(smallData);
await small.core.close();
await large.core.close();
process.exit(0);
