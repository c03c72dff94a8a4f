import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { cpuLoad, openCpuMeter, parseStat } from '../../../plugins/system/readers/cpu.ts';
import { DiskReader, type ReadSpace, type Space } from '../../../plugins/system/readers/disks.ts';
import { limited, MemoryReader, parseMeminfo } from '../../../plugins/system/readers/memory.ts';
import { selectDisks, parseFilesystems, parseMountinfo } from '../../../plugins/system/readers/mounts.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('system readers');

const stat = (...cores: string[]) => `cpu  1 2 3 4 5 6 7 8 9 10\n${cores.join('\n')}\nintr 1 0 0\nctxt 5\n`;

test('the load of a core is the time that it was neither idle nor waiting for disks', () => {
  const before = parseStat(stat('cpu0 100 0 100 800 0 0 0 0 0 0', 'cpu1 0 0 0 1000 0 0 0 0 0 0'));
  const after = parseStat(stat('cpu0 120 5 110 850 10 2 3 0 7 0', 'cpu1 0 0 0 1100 0 0 0 0 0 0'));
  assert.equal(cpuLoad(before, after), { cores: { core_0: 40, core_1: 0 }, percent: 20 });
});

test('time that the hypervisor took counts as load, a guest counts once', () => {
  const before = parseStat(stat('cpu0 0 0 0 0 0 0 0 0 0 0'));
  assert.equal(cpuLoad(before, parseStat(stat('cpu0 30 0 0 60 0 0 0 10 30 0'))).cores, { core_0: 40 });
});

test('cores that come, go or are reset are left out, and the others keep their names', () => {
  const before = parseStat(stat('cpu0 0 0 0 100', 'cpu1 50 0 0 50', 'cpu3 900 0 0 900'));
  const after = parseStat(stat('cpu0 50 0 0 150', 'cpu2 7 0 0 7', 'cpu3 1 0 0 1'));
  assert.equal(cpuLoad(before, after).cores, { core_0: 50 });
});

test('a decreasing I/O wait and readings without time between them give valid loads', () => {
  assert.equal(cpuLoad(parseStat(stat('cpu0 10 0 0 100 50')), parseStat(stat('cpu0 30 0 0 105 40'))).cores, {
    core_0: 100,
  });
  assert.equal(cpuLoad(parseStat(stat('cpu0 10 0 0 100 50')), parseStat(stat('cpu0 10 0 0 100 50'))).cores, {
    core_0: 0,
  });
  assert.throws(() => parseStat('nothing'), /no line for a core/);
});

test('a meter measures from its opening, and then from its last reading', async () => {
  const root = temporaryFolder();
  const shows = (busy: number, total: number) => write(root, { stat: stat(`cpu0 ${busy} 0 0 ${total - busy}`) });
  shows(0, 100);
  const meter = openCpuMeter(root);
  const failure = () => meter().then(String, String);
  assert.is((await meter()).percent, 0, 'no time has passed');
  shows(50, 200);
  assert.equal(
    (await Promise.all([meter(), meter()])).map(({ percent }) => percent),
    [50, 50],
    'who asks at the same time has the same load',
  );
  write(root, { stat: 'nothing' });
  assert.match(await failure(), /no line for a core/);
  shows(60, 300);
  assert.match(await failure(), /no line for a core/);
  shows(160, 400);
  assert.is((await meter()).percent, 100);
});

test('total and available memory are read, also from kernels without MemAvailable', () => {
  assert.equal(parseMeminfo('MemTotal:  1000 kB\nMemFree: 1 kB\nMemAvailable:  877 kB\nBuffers: 1 kB\n'), {
    total: 1_024_000,
    available: 898_048,
  });
  assert.equal(parseMeminfo('MemTotal:  1000 kB\nMemFree: 100 kB\nBuffers: 20 kB\nCached: 3 kB\n'), {
    total: 1_024_000,
    available: 125_952,
  });
  assert.throws(() => parseMeminfo(''), /no MemTotal/);
});

test('the limit of a container is its total, and cache that can go is not in use', () => {
  const machine = { total: 8000, available: 6000 };
  const group = { limit: '1000\n', usage: '700\n', stat: 'anon 400\ninactive_file 250\nfile 300\n' };
  assert.equal(limited(machine, group, 'inactive_file'), { total: 1000, available: 550 });
  assert.equal(limited(machine, { ...group, limit: 'max\n' }, 'inactive_file'), machine);
  assert.equal(limited(machine, { ...group, limit: '9223372036854771712\n' }, 'inactive_file'), machine);
  assert.equal(limited({ total: 8000, available: 100 }, group, 'inactive_file'), { total: 1000, available: 100 });
});

test('memory is read below the configured roots, with either cgroup version', async () => {
  const root = temporaryFolder();
  write(root, { 'proc/meminfo': 'MemTotal: 4096 kB\nMemAvailable: 2048 kB\n' });
  const read = () => new MemoryReader({ proc: join(root, 'proc'), sys: join(root, 'sys') }).read();
  assert.equal(await read(), { total: 4_194_304, available: 2_097_152 });
  const v1 = 'sys/fs/cgroup/memory';
  write(root, {
    [`${v1}/memory.limit_in_bytes`]: '1000000\n',
    [`${v1}/memory.usage_in_bytes`]: '500000\n',
    [`${v1}/memory.stat`]: 'cache 9\ntotal_inactive_file 100000\n',
  });
  assert.equal(await read(), { total: 1_000_000, available: 600_000 });
  write(root, {
    'sys/fs/cgroup/memory.max': '2000000\n',
    'sys/fs/cgroup/memory.current': '500000\n',
    'sys/fs/cgroup/memory.stat': 'inactive_file 0\n',
  });
  assert.equal(await read(), { total: 2_000_000, available: 1_500_000 });
});

const FILESYSTEMS =
  'nodev\tproc\nnodev\ttmpfs\n\text4\n\tsquashfs\nnodev\toverlay\nnodev\tnfs4\nnodev\tfuse\n\tfuseblk\nnodev\tzfs\nnodev\tautofs\n';
const shown = (table: string, withRemote = false) =>
  selectDisks(parseMountinfo(table), parseFilesystems(FILESYSTEMS), withRemote).map(
    ({ mountpoint, source, kind }) => `${source} on ${mountpoint}${kind === 'remote' ? ' (remote)' : ''}`,
  );

test('mount points keep blanks, line ends, backslashes and bytes that are no text', () => {
  const [mount, other] = parseMountinfo(
    '30 1 8:2 / /srv/a\\040b\\011c\\012d\\134e rw shared:1 master:2 - ext4 /dev/my\\040disk rw\n31 1 8:3 / /srv/\xc3\xbc\xff ro,relatime - ext4 /dev/sdb rw\nnonsense\n',
  );
  assert.is(mount?.mountpoint, '/srv/a b\tc\nd\\e');
  assert.is(mount?.source, '/dev/my disk');
  assert.equal(other?.path, Buffer.from('/srv/\xc3\xbc\xff', 'latin1'));
  assert.is(other?.mountpoint, '/srv/ü\ufffd');
  assert.equal([mount?.isReadOnly, other?.isReadOnly], [false, true]);
});

test('file systems on devices are disks; virtual and read-only ones are not', () => {
  assert.equal(
    shown(
      [
        '1 0 8:1 / / rw - ext4 /dev/sda1 rw',
        '2 1 0:5 / /proc rw - proc proc rw',
        '3 1 0:6 / /run rw - tmpfs tmpfs rw',
        '4 1 7:0 / /snap/core/1 ro - squashfs /dev/loop0 ro',
        '5 1 7:1 / /srv/image rw - ext4 /dev/loop1 rw',
        '6 1 0:40 / /tank rw - zfs tank rw',
        '7 1 0:41 / /net rw - autofs auto.net rw',
      ].join('\n'),
    ),
    ['/dev/sda1 on /', '/dev/loop1 on /srv/image', 'tank on /tank'],
  );
  assert.equal(shown('1 0 0:50 / / rw - overlay overlay rw'), ['overlay on /']);
});

test('a file system that is mounted in several places is shown once, at its best place', () => {
  assert.equal(
    shown(
      '1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 8:2 / /home/customers rw - ext4 /dev/sdb rw\n3 1 8:2 /ann /jail rw - ext4 /dev/sdb rw\n4 1 8:2 / /mnt rw - ext4 /dev/sdb rw\n',
    ),
    ['/dev/sda1 on /', '/dev/sdb on /mnt'],
  );
});

test('what a later mount covers is not shown', () => {
  assert.equal(
    shown(
      '1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 8:2 / /a/b rw - ext4 /dev/sdb rw\n3 1 8:3 / /a rw - ext4 /dev/sdc rw\n',
    ),
    ['/dev/sda1 on /', '/dev/sdc on /a'],
  );
  assert.equal(
    shown(
      '1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 8:2 / /a rw - ext4 /dev/sdb rw\n3 2 8:3 / /a rw - ext4 /dev/sdc rw\n',
    ),
    ['/dev/sda1 on /', '/dev/sdc on /a'],
  );
});

test('remote file systems and all mounts below them are included only on request', () => {
  const table =
    '1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 0:60 / /mnt/nas rw - nfs4 nas:/vol rw\n3 2 8:9 / /mnt/nas/local rw - ext4 /dev/sdx rw\n4 1 0:61 / /mnt/s rw - fuse.sshfs me@host: rw\n5 1 8:7 / /mnt/win rw - fuseblk /dev/sdw rw\n';
  assert.equal(shown(table), ['/dev/sda1 on /']);
  assert.equal(shown(table, true), [
    '/dev/sda1 on /',
    'nas:/vol on /mnt/nas (remote)',
    '/dev/sdx on /mnt/nas/local (remote)',
    'me@host: on /mnt/s (remote)',
    '/dev/sdw on /mnt/win (remote)',
  ]);
});

/** A disk reader on a made-up mount table, whose disks answer as `ask` says. */
function diskReader(table: string, ask: ReadSpace, remote: ReadSpace = ask): DiskReader {
  const root = temporaryFolder();
  write(root, { 'proc/1/mountinfo': table, 'proc/filesystems': FILESYSTEMS });
  return new DiskReader({ proc: join(root, 'proc'), files: '/host' }, true, { local: ask, remote });
}
const space: Space = { total: 1000, used: 300, free: 600 };

test('a disk tells what unprivileged users can use, and percent is of that', async () => {
  const asked: string[] = [];
  const reader = diskReader(
    '1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 8:2 / /empty rw - ext4 /dev/sdb rw',
    async (path) => {
      asked.push(path.toString());
      return path.toString().endsWith('empty') ? { total: 0, used: 0, free: 0 } : space;
    },
  );
  assert.equal(await reader.read(), [
    { device: '/dev/sda1', free: 600, fstype: 'ext4', mountpoint: '/', percent: 33.3, total: 1000, used: 300 },
  ]);
  assert.equal(asked, ['/host/', '/host/empty']);
});

test('a disk that hangs is left out, is not read again, and does not affect the others', async () => {
  const table =
    '1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 8:2 / /hangs rw - ext4 /dev/sdb rw\n3 1 8:3 / /gone rw - ext4 /dev/sdc rw\n4 1 8:4 / /fine rw - ext4 /dev/sdd rw';
  const asked: string[] = [];
  let answer: ((space: Space) => void) | undefined;
  const reader = diskReader(table, (path) => {
    asked.push(path.toString().slice('/host'.length));
    if (path.toString().endsWith('hangs') && answer === undefined) return new Promise((resolve) => (answer = resolve));
    return path.toString().endsWith('gone') ? Promise.reject(new Error('EIO')) : Promise.resolve(space);
  });
  const mountpoints = async () => (await reader.read()).map((disk) => disk.mountpoint);
  assert.equal(await mountpoints(), ['/', '/fine'], 'the reading waited, and ended');
  assert.equal(await mountpoints(), ['/', '/fine']);
  assert.is(asked.filter((path) => path === '/hangs').length, 1);
  answer?.(space);
  assert.equal(await mountpoints(), ['/', '/hangs', '/fine']);
});

test('readings at the same time are one, and leave no disk out', async () => {
  const asked: string[] = [];
  const reader = diskReader('1 0 8:1 / / rw - ext4 /dev/sda1 rw', async (path) => {
    asked.push(path.toString());
    return space;
  });
  const [disks, systems] = await Promise.all([reader.read(), reader.fileSystems()]);
  assert.equal([disks.length, systems.length, asked.length], [1, 1, 1]);
});

test('remote file systems are read every ten seconds, a few at once', async () => {
  let asked = 0;
  const table = [
    '1 0 8:1 / / rw - ext4 /dev/sda1 rw',
    ...Array.from({ length: 20 }, (_, i) => `${i + 2} 1 0:${i + 60} / /nas/${i} rw - nfs4 nas:/${i} rw`),
  ].join('\n');
  const reader = diskReader(
    table,
    async () => space,
    () => {
      asked += 1;
      return asked <= 16 && asked % 2 === 0 ? new Promise(() => {}) : Promise.resolve(space);
    },
  );
  assert.is((await reader.read()).length, 1 + 8, 'of sixteen that were asked every second one hangs');
  assert.is(asked, 16);
  assert.is(
    (await reader.read()).length,
    1 + 8 + 4,
    'there is room for the other four, and none of the rest is asked again',
  );
  assert.is(asked, 20);
  await reader.read();
  assert.is(asked, 20);
});

function write(root: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), text, 'latin1');
  }
}
