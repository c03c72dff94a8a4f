import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, hostname, totalmem, userInfo } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { ProcessTable } from '../../../plugins/usage/system/process-table.ts';
import type { SystemReport } from '../../../plugins/usage/system/report.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('usage: system');
const PATH = '/api/usage/system';
let server: TestServer;
test.before(async () => void (server = await TestServer.start()));
test.after(() => server.close());

/** Asks until there is a report; a busy machine may need more than the three seconds that a request waits. */
async function report(token: string, at = server): Promise<SystemReport> {
  const until = performance.now() + 60_000;
  for (;;) {
    const { status, body, headers } = await at.ask<SystemReport>(PATH, { token, address: 'admin' });
    if (status === 200) return body;
    assert.is(status, 503);
    assert.is(headers.get('retry-after'), '2');
    assert.ok(performance.now() < until, 'no report within a minute');
  }
}

test('guests and users are refused', async () => {
  const { token } = await server.user('ann');
  assert.is((await server.ask(PATH, { address: 'admin' })).status, 401);
  assert.is((await server.ask(PATH, { token, address: 'admin' })).status, 401);
  assert.is((await server.ask(PATH, { token })).status, 404, 'it is not on the end-user address');
});

test('an administrator sees the host, and the main thread loads no package', async () => {
  const { token } = await server.admin();
  const found = await report(token);
  assert.is(found.operating_system.host_name, hostname());
  assert.is(found.operating_system.platform, 'linux');
  assert.is(found.processor.cores, cpus().length);
  const memory = found.memory_modules.reduce((sum, { size }) => sum + size, 0);
  assert.ok(memory > totalmem() * 0.9, `${memory} of ${totalmem()}`);
  const root = found.file_systems.find(({ mountpoint }) => mountpoint === '/');
  assert.ok(root !== undefined && root.size > root.used && root.used > 0);
  const loopback = found.network_interfaces.find(({ name }) => name === 'lo');
  assert.is(loopback?.ip4, '127.0.0.1');
  assert.ok((loopback?.received ?? 0) > 0);
  assert.type(loopback?.received_per_second, 'number');
  assert.ok(found.processes.total >= found.processes.top.length);
  assert.ok(found.processes.top.length > 0 && found.processes.top.length <= 20);
  for (const { name } of found.processes.top) assert.not.match(name, / --/, 'without arguments');
  assert.is(found.processes.problem, '');
  const uptime = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
  assert.ok(Math.abs(found.uptime_seconds - uptime) < 120);
  assert.is.not(found.time_zone, '');
  const loaded = Object.keys(createRequire(import.meta.url).cache);
  assert.equal(
    loaded.filter((path) => path.includes('/systeminformation/')),
    [],
  );
});

test('a report waits for no program that asks all file systems, of which one may hang', async () => {
  const [programs, { PATH: path }] = [temporaryFolder(), process.env];
  writeFileSync(join(programs, 'df'), '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 });
  process.env['PATH'] = `${programs}:${path}`;
  const hanging = await TestServer.start();
  try {
    const { token } = await hanging.admin();
    const found = await report(token, hanging);
    assert.ok(found.file_systems.some(({ mountpoint, read_only }) => mountpoint === '/' && !read_only));
  } finally {
    process.env['PATH'] = path;
    await hanging.close();
  }
});

test('processes are listed with their share of time, their user and their memory', async () => {
  const script = 'console.log("busy"); for (;;);';
  const busy = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(busy.stdout, 'data'); // before that it may wait for its files, and has another name
    const table = new ProcessTable('/proc');
    const [{ total, top, problem }, same] = await Promise.all([table.read(), table.read()]);
    assert.is(top, same.top, 'who asks at the same time shares the answer');
    assert.is(problem, '');
    assert.ok(total >= top.length && top.length <= 20);
    const found = top.find(({ pid }) => pid === busy.pid);
    assert.ok(found !== undefined && found.cpu_percent > 5 && found.cpu_percent < 150, JSON.stringify(found));
    assert.is(found.user, userInfo().username);
    const status = readFileSync(`/proc/${busy.pid}/status`, 'utf8');
    assert.is(found.name, /^Name:\t(.*)$/m.exec(status)?.[1]);
    assert.ok(found.memory > 2 ** 20 && found.memory_percent >= 0);
  } finally {
    busy.kill();
  }
});

test('where processes are hidden, the list says so', async () => {
  const proc = temporaryFolder();
  mkdirSync(join(proc, '77'));
  writeFileSync(join(proc, '77/stat'), `77 (a) b (c) S 1 ${'0 '.repeat(9)}5 6 ${'0 '.repeat(6)}123 0 42 0\n`);
  writeFileSync(join(proc, '77/status'), 'Name:\ta) b (c\nUid:\t4294967290\t0\t0\t0\nVmRSS:\t     168 kB\n');
  const { total, top, problem } = await new ProcessTable(proc).read();
  assert.match(problem, /^the processes of others are hidden/);
  const one = { pid: 77, name: 'a) b (c', user: '4294967290', cpu_percent: 0, memory_percent: 0, memory: 168 * 1024 };
  assert.equal([total, top], [1, [one]]);
});

test('samples go on while somebody asks, and each request is answered from the newest', async () => {
  const { token } = await server.admin('watcher');
  const first = await report(token);
  const until = performance.now() + 60_000;
  let next = first;
  while (next.sampled_at === first.sampled_at) {
    assert.ok(performance.now() < until, 'no second sample within a minute');
    const startedMs = performance.now();
    next = await report(token);
    assert.ok(performance.now() - startedMs < 10_000, 'nothing slow is on the way of a request');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.ok(next.sampled_at > first.sampled_at);
});

test('the names of the host reach its customers', async () => {
  const { token: admin } = await server.admin('names');
  const { processor, operating_system: os } = await report(admin);
  const { token } = await server.user('bea');
  const { body } = await server.ask<Record<string, string>>('/api/system/hosting/info', { token });
  assert.is(body['processor'], `${processor.manufacturer} ${processor.model}`.trim());
  assert.match(body['distribution'] ?? '', os.distribution);
});
