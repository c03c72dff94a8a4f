import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, hostname, totalmem } from 'node:os';
import * as assert from 'uvu/assert';
import type { SystemReport } from '../../plugins/usage/system/report.ts';
import { TestServer } from '../support/hostkeep.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('usage: system');
const PATH = '/api/usage/system';
let server: TestServer;
test.before(async () => void (server = await TestServer.start()));
test.after(() => server.close());

/** Asks until there is a report; a busy machine may need more than the three seconds that a request waits. */
async function report(token: string): Promise<SystemReport> {
  const until = performance.now() + 60_000;
  for (;;) {
    const { status, body, headers } = await server.ask<SystemReport>(PATH, { token, address: 'admin' });
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

test('an administrator sees the host as it is, and the main thread never loads the package', async () => {
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
  const uptime = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
  assert.ok(Math.abs(found.uptime_seconds - uptime) < 120);
  assert.is.not(found.time_zone, '');
  const loaded = Object.keys(createRequire(import.meta.url).cache);
  assert.equal(
    loaded.filter((path) => path.includes('/systeminformation/')),
    [],
  );
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
    assert.ok(performance.now() - startedMs < 2000, 'nothing slow is on the way of a request');
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
