/**
 * What the kernel costs: `npm run build && node dist/bench/kernel.js [reads] [large] [domains] [logins] [start]`. For
 * `start`, `--without php,backups` switches plugins off. Every figure is compared with something measured in the same run, in
 * turn, on the same machine; bench/README.md has them.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeProgram } from '../config/package/program-tree.ts';
import type { Core } from '../kernel/run/core.ts';
import { projectDir, VERSION } from '../kernel/kit/files/project-dir.ts';
import { additions } from './support/additions.ts';
import { describeLoad, interleaved, load, median, processorSeconds, type Target } from './support/load.ts';
import { residentMib } from './support/memory.ts';
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
const CPU = '/api/usage/cpu';
const running: Running[] = [];

function keep(server: Running): Running {
  running.push(server);
  return server;
}

function report(figure: string, ratio: number, bound?: string): void {
  const wanted = bound === undefined ? '' : `   (wanted: ${bound})`;
  console.log(`  ${figure.padEnd(64)} ${ratio.toFixed(2).padStart(7)}${wanted}`);
}

interface Filled {
  readonly data: string;
  readonly core: Core;
  /** Of the first account, and of an administrator. */
  readonly token: string;
  readonly admin: string;
  /** An API token of the first account, for the plan. */
  readonly apiToken: string;
}

/** Accounts of which the first one is asked; each has a login. */
async function fill(accounts: number, domainsOfEach: number): Promise<Filled> {
  const data = temporaryFolder();
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
  const admin = await core.accounts.create({ username: 'root', role: 'admin', passwordHash });
  const first = await core.accounts.get('user0');
  const script = { name: 'bench', scopes: ['info:read'], networks: [], expiresAt: Date.now() + 86_400_000 };
  const { token: apiToken } = await core.tokens.make(first, script, '');
  return { data, core, token: await tokenFor(core, first), admin: await tokenFor(core, admin), apiToken };
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

async function bytesOf(url: string, token: string): Promise<string> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
  return response.text();
}

async function startFastify(path: string, body: string, data: string): Promise<Running> {
  const file = join(temporaryFolder(), 'body');
  writeFileSync(file, body);
  return keep(
    await startProgram(join(import.meta.dirname, 'support/fastify.js'), [path, file, join(data, 'keys.json')]),
  );
}

/** On a machine where the bare handler takes 8 to 9 µs; others are measured by its factor. */
const BARE_US = 8.5;

/**
 * Guarded reads beside a bare handler that compares the token and writes the same bytes and headers. What counts is the
 * processor time of the serving process for a request: throughput depends on what the load generator leaves over.
 */
async function guardedReads(small: Running, { data, token, admin, apiToken }: Filled): Promise<void> {
  const reads = [
    { name: 'plan', path: PLAN, address: small.url, token, boundUs: 1.2 },
    { name: 'usage/cpu', path: CPU, address: small.adminUrl, token: admin, boundUs: 1.2 },
    { name: 'dashboard', path: DASHBOARD, address: small.url, token, boundUs: 1.5 },
  ];
  const targets: Target[] = [];
  for (const { name, path, address, token: own } of reads) {
    const body = await bytesOf(address + path, own);
    const bare = keep(await startBare(path, own, body));
    targets.push({ name: `bare uWS, ${name}`, url: bare.url + path, token: own, pid: bare.child.pid });
    targets.push({ name: `Hostkeep, ${name}`, url: address + path, token: own, pid: small.child.pid });
  }
  const withApiToken = 'Hostkeep, plan with an API token';
  targets.push({ name: withApiToken, url: small.url + PLAN, token: apiToken, pid: small.child.pid });
  const fastify = await startFastify(PLAN, await bytesOf(small.url + PLAN, token), data);
  targets.push({ name: 'Fastify, plan', url: fastify.url + PLAN, token, pid: fastify.child.pid });
  const results = await interleaved(targets, { rounds: 7 });
  console.log('\nGuarded reads');
  for (const [name, result] of results) console.log(`  ${describeLoad(name, result)}`);
  const us = (name: string) => results.get(name)?.processorUs ?? Number.NaN;
  const rate = (name: string) => results.get(name)?.requestsPerSecond ?? Number.NaN;
  for (const { name, boundUs } of reads) {
    const [bare, own] = [us(`bare uWS, ${name}`), us(`Hostkeep, ${name}`)];
    const bound = (boundUs * bare) / BARE_US;
    report(`${name}: processor time over bare's ${bare.toFixed(2)} µs, in µs`, own - bare, `≤ ${bound.toFixed(2)}`);
    report(
      `${name}: requests a second, Hostkeep / bare uWS`,
      rate(`Hostkeep, ${name}`) / rate(`bare uWS, ${name}`),
      '–',
    );
  }
  report('plan: processor time, session / API token', us('Hostkeep, plan') / us(withApiToken), '≥ 0.98');
  report(
    'plan: processor time, Fastify 5 with @fastify/jwt / Hostkeep',
    us('Fastify, plan') / us('Hostkeep, plan'),
    '–',
  );
}

async function largeStore(small: Target[], large: Target[]): Promise<void> {
  const results = await interleaved([...small, ...large], { rounds: 3 });
  console.log('\n10,000 accounts and 100,000 domains against a store of 60 and 600');
  for (const [name, result] of results) console.log(`  ${describeLoad(name, result)}`);
  for (const [i, target] of small.entries()) {
    const us = (name: string) => results.get(name)?.processorUs ?? Number.NaN;
    report(`${large[i]?.name} / ${target.name}, processor time`, us(large[i]?.name ?? '') / us(target.name), '≤ 1.25');
  }
}

/** A billing module or a console that follows all customers asks each second. */
async function accountsUsed({ adminUrl, child }: Running, admin: string): Promise<void> {
  const url = `${adminUrl}/api/usage/accounts`;
  const times: number[] = [];
  let bytes = 0;
  for (let i = 0; i < 21; i += 1) {
    const started = performance.now();
    bytes = (await bytesOf(url, admin)).length;
    times.push(performance.now() - started);
  }
  const before = processorSeconds(child.pid);
  for (let i = 0; i < 60; i += 1) await bytesOf(url, admin);
  console.log(`\nGET /api/usage/accounts, 100 of 10,000 accounts, ${bytes} bytes`);
  report('first page, p50 of 21, ms', median(times), '≤ 100');
  report('the very first after the start, ms', times[0] ?? Number.NaN, '–');
  report('processor time of 60 polls, s', processorSeconds(child.pid) - before, '≤ 1');
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

/** From the start of the process to its ready line, as it is packaged and in a checkout, and the memory half a minute later. */
async function startUp(data: string, off: readonly string[]): Promise<void> {
  const settings = join(temporaryFolder(), 'settings.json');
  const plugins = Object.fromEntries(off.map((name) => [name, false]));
  writeFileSync(settings, JSON.stringify({ listen: '127.0.0.1:0', admin_listen: '127.0.0.1:0', data, plugins }));
  const packaged = temporaryFolder();
  await writeProgram(packaged, VERSION);
  symlinkSync(join(projectDir, 'node_modules'), join(packaged, 'node_modules'));
  const programs = { packaged, checkout: projectDir };
  const times = { packaged: [] as number[], checkout: [] as number[], node: [] as number[] };
  for (let round = 0; round < 7; round += 1) {
    for (const name of ['packaged', 'checkout'] as const) {
      const { child, ms } = await listening(programs[name], settings);
      times[name].push(ms);
      await ended(child);
    }
    const started = performance.now();
    execFileSync(process.execPath, ['-e', '0']);
    times.node.push(performance.now() - started);
  }
  const bare = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const { child } = await listening(packaged, settings);
  await new Promise((resolve) => setTimeout(resolve, 30_000)); // idle means idle
  const memory = { packaged: residentMib(child.pid), node: residentMib(bare.pid) };
  await ended(child);
  await ended(bare);
  const ms = (of: readonly number[]) => `${median(of).toFixed(0)} ms`;
  console.log(
    `\nStart to listening ${ms(times.packaged)}, in a checkout ${ms(times.checkout)}, node -e 0 ${ms(times.node)}; ` +
      `idle ${memory.packaged.toFixed(0)} MiB, bare Node ${memory.node.toFixed(0)} MiB`,
  );
  report('start to listening / node -e 0', median(times.packaged) / median(times.node), '≤ 5.5');
  report('start in a checkout / node -e 0', median(times.checkout) / median(times.node));
  report('memory when idle / bare Node', memory.packaged / memory.node, '≤ 2.0');
}

async function listening(program: string, settings: string): Promise<{ child: ChildProcess; ms: number }> {
  const started = performance.now();
  const child = spawn(
    process.execPath,
    [join(program, 'dist/kernel/run/main.js'), 'serve', '--workers', '1', '--config', settings],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  for (let text = ''; !text.includes('"listening"');) text += String((await once(child.stdout, 'data'))[0]);
  return { child, ms: performance.now() - started };
}

async function ended(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

const { positionals: parts, values } = parseArgs({
  allowPositionals: true,
  options: { without: { type: 'string', default: '' } },
});
const isWanted = (part: string) => parts.length === 0 || parts.includes(part);

console.log(`Kernel bench: ${machineText()}`);
const small = await fill(60, 10);
if (['reads', 'large', 'domains', 'logins'].some(isWanted)) {
  const smallServer = keep(await startHostkeep(small.data));
  if (isWanted('reads')) await guardedReads(smallServer, small);
  if (isWanted('large') || isWanted('domains')) {
    const large = await fill(10_000, 10);
    const largeServer = keep(await startHostkeep(large.data));
    const targets = (name: string, server: Running, token: string) => [
      { name: `plan, ${name}`, url: server.url + PLAN, token, pid: server.child.pid },
      { name: `dashboard, ${name}`, url: server.url + DASHBOARD, token, pid: server.child.pid },
    ];
    if (isWanted('large')) {
      await accountsUsed(largeServer, large.admin);
      await largeStore(targets('small', smallServer, small.token), targets('large', largeServer, large.token));
    }
    if (isWanted('domains')) {
      await domainsAdded(smallServer, small.data, small.token, 'small');
      await domainsAdded(largeServer, large.data, large.token, 'large');
    }
    await large.core.close();
  }
  if (isWanted('logins')) await loginStorm(smallServer, small.token);
}
for (const server of running) await server.stop();
if (isWanted('start')) await startUp(small.data, values.without.split(',').filter(Boolean));
await small.core.close();
process.exit(0);
