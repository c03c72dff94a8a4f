import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, hostname, totalmem, userInfo } from 'node:os';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { definePlugin } from '../../../kernel/contract/plugin.ts';
import type { Machine, SystemReport } from '../../../kernel/areas/machine.ts';
import { openNetworkMeter } from '../../../plugins/system/report/network-meter.ts';
import { UserLoads } from '../../../plugins/system/readers/user-loads.ts';
import { ProcessTable } from '../../../plugins/system/readers/process-table.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { allPlugins, TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { assertNone } from '../../support/lists.ts';

const test = testSuite('system');
const PATH = '/api/usage/system';
let server: TestServer;
test.before(async () => void (server = await TestServer.start()));

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
  assertNone(loaded, (path) => path.includes('/systeminformation/'));
});

test('interfaces are read with their rates; what has gone is left out', () => {
  const folder = temporaryFolder();
  const put = (name: string, files: Record<string, string>) => {
    mkdirSync(join(folder, name, 'statistics'), { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, name, file), `${text}\n`);
  };
  const counts = (received: number) => ({ 'statistics/rx_bytes': `${received}`, 'statistics/tx_bytes': '7' });
  put('veth1', { ...counts(1000), address: '02:00:00:00:00:01', operstate: 'up', speed: '10000' });
  put('lo', { ...counts(5), address: '00:00:00:00:00:00', operstate: 'unknown' });
  put('gone', {});
  writeFileSync(join(folder, 'bonding_masters'), '');
  const measure = openNetworkMeter(folder);
  const [lo, veth, ...others] = measure();
  assert.equal(others, []);
  assert.equal(
    [lo?.name, lo?.ip4, lo?.speed_mbit, lo?.received, lo?.received_per_second],
    ['lo', '127.0.0.1', null, 5, null],
  );
  assert.equal([veth?.name, veth?.mac, veth?.state, veth?.speed_mbit], ['veth1', '02:00:00:00:00:01', 'up', 10_000]);
  put('veth1', counts(2000));
  const again = measure()[1];
  assert.is(again?.received, 2000);
  assert.ok((again?.received_per_second ?? 0) > 0);
  assert.is(again?.sent_per_second, 0);
  put('veth1', counts(1));
  assert.is(measure()[1]?.received_per_second, 0, 'another interface has the name now');
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

test('another plugin asks for the load, and knows nothing where nothing can be read', async () => {
  const askedBy = async (proc: string) => {
    let machine: Machine | undefined;
    const asking = definePlugin({
      name: 'asking',
      features: [],
      uses: ['system'],
      routes: {},
      setup: ({ peer }) => ((machine = peer<Machine>('system')), { handlers: {} }),
    });
    const plugins = [...(await allPlugins()), asking];
    const asked = await TestServer.start({ plugins, config: { system: { roots: { proc } } } });
    const load = await machine?.load();
    await asked.close();
    return load;
  };
  for (const percent of Object.values((await askedBy('/proc')) ?? { none: null }))
    assert.ok(percent !== null && percent >= 0 && percent <= 100);
  assert.equal(await askedBy(temporaryFolder()), { cpu: null, memory: null, disk: null });
});

test('doctor reports the sources of the figures', async () => {
  const findings = (await server.hostkeep.plugins.gather('doctor')).flatMap((part) =>
    part.ok && part.plugin === 'system' ? part.value : [],
  );
  assert.equal(
    findings.map(({ name, ok }) => [name, ok]),
    [
      ['processor', true],
      ['memory', true],
      ['disks', true],
    ],
  );
  assert.match(findings[0]?.detail ?? '', /^\d+ cores, from \/proc\/stat$/);
});

test('doctor says what cannot be read, and why', async () => {
  const missing = join(temporaryFolder(), 'proc');
  const blind = await TestServer.start({ config: { system: { roots: { proc: missing } } } });
  const findings = (await blind.hostkeep.plugins.gather('doctor')).flatMap((part) =>
    part.ok && part.plugin === 'system' ? part.value : [],
  );
  assert.equal(
    findings.map(({ name, ok, remedy }) => [name, ok, remedy]),
    ['processor', 'memory', 'disks'].map((name) => [name, false, `mount proc at ${missing}, or set system.roots.proc`]),
  );
  assert.match(findings[0]?.detail ?? '', /^cannot be read: .*proc\/stat/);
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

test('what processes take is summed for each user, without those of containers', async () => {
  const proc = temporaryFolder();
  const shows = (pid: number, uid: number, ticks: number, group = '0::/user.slice') => {
    mkdirSync(join(proc, String(pid)), { recursive: true });
    writeFileSync(
      join(proc, String(pid), 'stat'),
      `${pid} (php) S 1 ${'0 '.repeat(9)}${ticks} 0 ${'0 '.repeat(6)}9 0 42 0\n`,
    );
    writeFileSync(join(proc, String(pid), 'status'), `Name:\tphp\nUid:\t${uid}\t0\t0\t0\nVmRSS:\t100 kB\n`);
    writeFileSync(join(proc, String(pid), 'cgroup'), `${group}\n`);
  };
  shows(1, 0, 100);
  for (const pid of [7, 8]) shows(pid, 200_001, 100);
  shows(9, 200_001, 100, '0::/system.slice/docker-0123456789ab.scope');
  shows(10, 200_002, 100);
  const loads = new UserLoads(proc);
  const first = loads.read();
  assert.is(await loads.read(), await first, 'who asks at the same time shares the answer');
  shows(7, 200_001, 5000);
  const [one, two] = ((await loads.read()) ?? []).toSorted((a, b) => a.uid - b.uid);
  assert.equal(
    [one?.uid, one?.memoryBytes, two],
    [200_001, 204_800, { uid: 200_002, cpuPercent: 0, memoryBytes: 102_400 }],
  );
  assert.ok((one?.cpuPercent ?? 0) > 0);
  rmSync(join(proc, '1'), { recursive: true });
  assert.is(await loads.read(), null, 'processes of others are hidden');
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
