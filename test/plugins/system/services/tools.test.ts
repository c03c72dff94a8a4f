/** The figures against the tools that people trust, on this machine as it is: `free`, `df`, `mpstat`, real mounts. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as assert from '../../../support/assert.ts';
import type { Partition } from '../../../../kernel/areas/machine.ts';
import { cpuLoad, cpuReader } from '../../../../plugins/system/readers/cpu.ts';
import { DiskReader } from '../../../../plugins/system/readers/disks.ts';
import { MemoryReader } from '../../../../plugins/system/readers/memory.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { reportSkipped, testSuite } from '../../../support/suite.ts';
import { eventually } from '../../../support/until.ts';

const test = testSuite('system against the tools');
const run = promisify(execFile);
const ROOTS = { proc: '/proc', sys: '/sys', files: '/' };

/** Reads with both, until our value lies between two of theirs: the machine is busy. Rejects when it never does. */
async function bracketed<T, U>(
  theirs: () => Promise<T>,
  ours: () => Promise<U>,
  isBetween: (before: T, ours: U, after: T) => boolean,
): Promise<void> {
  await eventually(
    'our value lies between two readings of the tool',
    async () => ({ before: await theirs(), mine: await ours(), after: await theirs() }),
    ({ before, mine, after }) => isBetween(before, mine, after),
  );
}
const within = (a: number, value: number, b: number) => Math.min(a, b) <= value && value <= Math.max(a, b);

/** Whether a tool is there; reports what needs it as skipped where it is not. */
async function hasTool(command: string, pack: string): Promise<boolean> {
  const isThere = await run('which', [command]).then(
    () => true,
    () => false,
  );
  if (!isThere) reportSkipped(`no ${command} here; apt-get install ${pack}`);
  return isThere;
}

test('memory is what free says', async () => {
  if (!(await hasTool('free', 'procps'))) return;
  const reader = new MemoryReader(ROOTS);
  const free = async () => {
    const { stdout } = await run('free', ['-b']);
    const [total = 0, used = 0, , , , available = 0] = (/^Mem: +(.*)$/m.exec(stdout)?.[1] ?? '')
      .split(/ +/)
      .map(Number);
    return { total, used, available };
  };
  await bracketed(
    free,
    () => reader.read(),
    (before, { total, available }, after) =>
      total === before.total &&
      within(before.available, available, after.available) &&
      within(before.used, total - available, after.used),
  );
});

interface DfRow {
  readonly device: string;
  readonly fstype: string;
  readonly total: number;
  readonly used: number;
  readonly free: number;
  readonly percent: number;
  readonly mountpoint: string;
}

async function df(): Promise<Map<string, DfRow>> {
  const { stdout } = await run('df', ['-B1', '--all', '--output=source,fstype,size,used,avail,pcent,target']).catch(
    (error: { stdout: string }) => error,
  );
  const rows = [...stdout.matchAll(/^(\S+) +(\S+) +(\d+) +(\d+) +(\d+) +(\d+)% (.+)$/gm)].map(
    ([, device = '', fstype = '', total, used, free, percent, mountpoint = '']) => ({
      device,
      fstype,
      total: Number(total),
      used: Number(used),
      free: Number(free),
      percent: Number(percent),
      mountpoint,
    }),
  );
  return new Map(rows.map((row) => [row.mountpoint, row]));
}

function agrees(before: DfRow | undefined, disk: Partition, after: DfRow | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  return (
    disk.total === before.total &&
    disk.device === before.device &&
    disk.fstype === before.fstype &&
    within(before.used, disk.used, after.used) &&
    within(before.free, disk.free, after.free) &&
    Math.abs(disk.percent - before.percent) <= 1
  );
}

test('disks are what df says', async () => {
  const reader = new DiskReader(ROOTS, false);
  await bracketed(
    df,
    () => reader.read(),
    (before, disks, after) =>
      disks.length > 0 && disks.every((disk) => agrees(before.get(disk.mountpoint), disk, after.get(disk.mountpoint))),
  );
});

test('the load of a busy core is what mpstat says', async () => {
  if (!(await hasTool('mpstat', 'sysstat'))) return;
  const read = cpuReader('/proc');
  const script = 'console.log("busy"); for (;;);';
  const busy = spawn('taskset', ['-c', '0', process.execPath, '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(busy.stdout, 'data'); // before that it may wait for its files
    for (let attempt = 1; ; attempt += 1) {
      const before = await read();
      const { stdout } = await run('mpstat', ['-P', 'ALL', '-o', 'JSON', '2', '1']);
      const { cores } = cpuLoad(before, await read());
      const report = JSON.parse(stdout) as {
        sysstat: { hosts: { statistics: { 'cpu-load': { cpu: string; idle: number; iowait: number }[] }[] }[] };
      };
      const rows = report.sysstat.hosts[0]?.statistics[0]?.['cpu-load'].filter(({ cpu }) => cpu !== 'all') ?? [];
      assert.equal(
        rows.map(({ cpu }) => `core_${cpu}`),
        Object.keys(cores),
      );
      const apart = Math.max(
        ...rows.map(({ cpu, idle, iowait }) => Math.abs((cores[`core_${cpu}`] ?? 0) - (100 - idle - iowait))),
      );
      assert.ok((cores['core_0'] ?? 0) > 90, 'the known load is seen');
      if (apart <= 5) return;
      assert.ok(
        attempt < 5,
        `${apart} points apart from mpstat, five times in a row: ${JSON.stringify(cores)} beside ${JSON.stringify(rows)}`,
      );
    }
  } finally {
    busy.kill('SIGKILL');
  }
});

/** Whether this machine lets a test mount something. */
function mayMount(device: string): boolean {
  const may = process.getuid?.() === 0 && existsSync(device);
  if (!may) reportSkipped(`mounting needs root and ${device}`);
  return may;
}

test('a loop mount with odd letters in its name is a disk until unmounted', async () => {
  if (!mayMount('/dev/loop-control')) return;
  const folder = temporaryFolder();
  const [image, mountpoint] = [join(folder, 'image'), join(folder, 'Kunden\t a\\b \u00fc\u96ea')];
  mkdirSync(mountpoint);
  await run('truncate', ['-s', '16M', image]);
  await run('mkfs.ext4', ['-q', '-F', image]);
  await run('mount', ['-o', 'loop', '--', image, mountpoint]);
  const reader = new DiskReader(ROOTS, false);
  try {
    const disk = (await reader.read()).find((each) => each.mountpoint === mountpoint);
    assert.is(disk?.fstype, 'ext4');
    assert.match(disk?.device ?? '', /^\/dev\/loop/);
    const { stdout } = await run('stat', ['-f', '-c', '%S %b %f %a', '--', mountpoint]);
    const [size = 0, blocks = 0, free = 0, available = 0] = stdout.split(' ').map(Number);
    assert.equal([disk?.total, disk?.used, disk?.free], [size * blocks, size * (blocks - free), size * available]);
  } finally {
    await run('umount', ['--', mountpoint]);
  }
  assert.not.ok((await reader.read()).some((each) => each.mountpoint === mountpoint));
});

/** Mounts a file system of a program that never answers anything, until its input ends. */
const HANGING = `
import ctypes, os, sys
target = os.fsencode(sys.argv[1])
fuse = os.open('/dev/fuse', os.O_RDWR)
libc = ctypes.CDLL(None, use_errno=True)
options = b'fd=%d,rootmode=40000,user_id=0,group_id=0' % fuse
if libc.mount(b'hangs', target, b'fuse.hangs', 0, options) != 0: sys.exit(os.strerror(ctypes.get_errno()))
print('mounted', flush=True)
sys.stdin.read()
libc.umount2(target, 2)
`;

test('a mount that never answers delays no request, shown or not', async () => {
  if (!mayMount('/dev/fuse')) return;
  const mountpoint = join(temporaryFolder(), 'hangs');
  mkdirSync(mountpoint);
  const program = spawn('python3', ['-c', HANGING, mountpoint], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(program.stdout, 'data');
  try {
    for (const remote_disks of [false, true]) {
      const server = await TestServer.start({ config: { system: { remote_disks }, usage: { interval_ms: 100 } } });
      const { token } = await server.admin();
      for (let i = 0; i < 5; i += 1) {
        const { status, body } = await server.ask<Partition[]>('/api/usage/disk', { token, address: 'admin' });
        assert.is(status, 200);
        assert.ok(body.some((disk) => disk.mountpoint === '/'));
        assert.not.ok(body.some((disk) => disk.mountpoint === mountpoint));
      }
      await server.close();
    }
  } finally {
    program.stdin.end();
    await once(program, 'exit');
  }
});
