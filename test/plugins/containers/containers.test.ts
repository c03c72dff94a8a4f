/**
 * Calculations and parsers of the containers plugin, on literals that engines and kernels write, or hostile engines
 * could.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { withoutCache } from '../../../kernel/kit/engine/container-groups.ts';
import * as assert from '../../support/assert.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { parseCgroupPaths, parseIo, parseNetwork } from '../../../plugins/containers/stats/cgroup-files.ts';
import { CgroupReader } from '../../../plugins/containers/stats/cgroup-reader.ts';
import { ContainerSnapshot } from '../../../plugins/containers/engine/container-snapshot.ts';
import { readLabel, parseContainers, type Container } from '../../../plugins/containers/engine/container.ts';
import { remedyFor } from '../../../plugins/containers/engine-monitor.ts';
import { parseStats } from '../../../plugins/containers/stats/engine-stats.ts';
import { portText } from '../../../plugins/containers/disk-usage/port-text.ts';
import { cpuPercent, type ContainerUsage, type ContainerSample } from '../../../plugins/containers/stats/sample.ts';
import { totals } from '../../../plugins/containers/stats/totals.ts';
import {
  binarySize,
  createdAt,
  dateText,
  decimalSize,
  duration,
  quoted,
} from '../../../plugins/containers/docker-format.ts';
import { parseEngineUsage } from '../../../plugins/containers/disk-usage/engine-usage.ts';
import type { DiskUsage } from '../../../plugins/containers/schema.ts';
import { accountDiskUsage } from '../../../plugins/containers/disk-usage/usage-records.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('containers');
const ID = 'a'.repeat(64);
const OTHER = 'b'.repeat(64);
const MIB = 2 ** 20;

const container = (over: Record<string, unknown> = {}): Container => {
  const [parsed] = parseContainers([
    { Id: ID, Names: ['/shop-web-1'], Image: 'nginx:1', ImageID: 'sha256:1', State: 'running', ...over },
  ]);
  if (parsed === undefined) throw new Error('not a container');
  return parsed;
};
const sample: ContainerSample = {
  source: 'cgroup',
  cpuNs: 0,
  clockNs: 0,
  memoryBytes: 0,
  limitBytes: 0,
  receivedBytes: 0,
  sentBytes: 0,
  readBytes: 0,
  writtenBytes: 0,
  pids: 0,
};

test('sizes are written as the docker CLI writes them', () => {
  assert.equal(
    [0, 999, 1000, 1234, 1_984_172, 999_600, 3_145_734].map((bytes) => decimalSize(bytes, 3)),
    ['0B', '999B', '1kB', '1.23kB', '1.98MB', '1MB', '3.15MB'],
  );
  assert.equal(
    [1_984_172, 2_097_152, 999_960, 12_345_678_901].map((bytes) => decimalSize(bytes)),
    ['1.984MB', '2.097MB', '1MB', '12.35GB'],
  );
  assert.equal(
    [0, 1, 1023, 1024, 512_000, 954_204, 2 ** 20 - 1, 67_108_864, 335_902_228, 3 * 1024 * MIB, 16_670_924_800].map(
      binarySize,
    ),
    ['0B', '1B', '1023B', '1KiB', '500KiB', '931.8KiB', '1024KiB', '64MiB', '320.3MiB', '3GiB', '15.53GiB'],
  );
  assert.is(binarySize(2 ** 120).endsWith('YiB'), true);
  assert.is(decimalSize(1e300, 3).endsWith('YB'), true);
});

test('durations and dates are written as the docker CLI writes them', () => {
  const cases: [number, string][] = [
    [0.4, 'Less than a second'],
    [1, '1 second'],
    [59, '59 seconds'],
    [60, 'About a minute'],
    [600, '10 minutes'],
    [3600, 'About an hour'],
    [5400, '2 hours'],
    [47 * 3600, '47 hours'],
    [48 * 3600, '2 days'],
    [14 * 86_400, '2 weeks'],
    [70 * 86_400, '2 months'],
    [800 * 86_400, '2 years'],
    [-5, 'Less than a second'],
  ];
  for (const [seconds, text] of cases) assert.is(duration(seconds), text);
  assert.is(createdAt(1_795_177_216), '2026-11-20 12:20:16 +0000 UTC');
  assert.is(createdAt(Number.MAX_SAFE_INTEGER), '1970-01-01 00:00:00 +0000 UTC');
  assert.is(dateText(1_795_177_216_000), '2026-11-20-12-20-16');
  assert.is(quoted('sh -c "a\\b"\n\u001b[0m'), String.raw`"sh -c \"a\\b\"\n\x1b[0m"`);
});

test('processor use is processor time per time passed', () => {
  const at = (cpuNs: number, clockNs: number): ContainerSample => ({ ...sample, cpuNs, clockNs });
  assert.is(cpuPercent(at(0, 0), at(500_000_000, 1_000_000_000)), 50);
  assert.is(cpuPercent(at(0, 0), at(2_000_000_000, 1_000_000_000)), 200);
  assert.is(cpuPercent(at(9, 0), at(1, 1_000_000_000)), 0, 'a container that restarted');
  assert.is(cpuPercent(at(0, 5), at(9, 5)), 0, 'no time passed');
});

test('memory is counted without inactive file cache, where usage includes that', () => {
  assert.is(withoutCache(3_661_824, 3_149_824), 512_000);
  assert.is(withoutCache(100, 200), 100);
});

test('sums add bytes as bytes', () => {
  const one: ContainerUsage = {
    ...sample,
    id: '1',
    cpuPercent: 0.1,
    memoryBytes: 320 * MIB,
    limitBytes: 1024 * MIB,
    receivedBytes: 1_200_000,
    sentBytes: 3000,
    readBytes: 999,
    writtenBytes: 0,
    pids: 2,
  };
  const two: ContainerUsage = {
    ...sample,
    id: '2',
    cpuPercent: 0.05,
    memoryBytes: 0.34 * MIB,
    limitBytes: 2048 * MIB,
    receivedBytes: 40,
    sentBytes: 401,
    readBytes: 1,
    writtenBytes: 5,
    pids: 3,
  };
  assert.equal(totals([one, two]), {
    BlockIO: '1kB / 5B',
    CPUPerc: '0.15 %',
    Container: '2',
    ID: '',
    MemPerc: '10.43 %',
    MemUsage: '320.3MiB / 3GiB',
    Name: '',
    NetIO: '1.2MB / 3.4kB',
    PIDs: 5,
  });
  assert.equal(totals([]), {
    BlockIO: '0B / 0B',
    CPUPerc: '0.00 %',
    Container: '0',
    ID: '',
    MemPerc: '0.00 %',
    MemUsage: '0B / 0B',
    Name: '',
    NetIO: '0B / 0B',
    PIDs: 0,
  });
});

test("a container's group is found for cgroupfs, systemd and Podman only", () => {
  const v1 = `4:memory:/docker/${ID}\n2:cpu,cpuacct:/docker/${ID}\n1:name=systemd:/docker/${ID}\n0::/docker/${ID}\n`;
  const cgroup = parseCgroupPaths(v1, ID);
  assert.is(cgroup?.version === 1 && cgroup.paths.get('cpuacct'), `/docker/${ID}`);
  assert.equal(parseCgroupPaths(`0::/system.slice/docker-${ID}.scope\n`, ID), {
    version: 2,
    paths: new Map([['', `/system.slice/docker-${ID}.scope`]]),
  });
  assert.equal(parseCgroupPaths(`0::/machine.slice/libpod-${ID}.scope/container/init.scope\n`, ID), {
    version: 2,
    paths: new Map([['', `/machine.slice/libpod-${ID}.scope`]]),
  });
  for (const text of ['', `0::/docker/${OTHER}\n`, `0::/../${ID}\n`, '0::/\n', `nonsense ${ID}`])
    assert.is(parseCgroupPaths(text, ID), undefined, text);
});

test('kernel files are summed over devices and interfaces', () => {
  const net =
    'Inter-|   Receive     |  Transmit\n face |bytes packets |bytes\n    lo: 99 1 0 0 0 0 0 0 99 1 0 0 0 0 0 0\n  eth0: 1749 21 0 0 0 0 0 0 701 8 0 0 0 0 0 0\n  eth1:1 1 0 0 0 0 0 0 2 1 0 0 0 0 0 0\n';
  assert.equal(parseNetwork(net), { receivedBytes: 1750, sentBytes: 703 });
  assert.equal(parseIo('8:0 Read 4096\n8:0 Write 512\n8:0 Sync 9\n8:16 Read 1\nTotal 4617\n'), {
    readBytes: 4097,
    writtenBytes: 512,
  });
  assert.equal(parseIo('Total 0\n'), { readBytes: 0, writtenBytes: 0 });
  assert.equal(parseIo('8:0 rbytes=4096 wbytes=512 rios=1 wios=1 dbytes=7 dios=1\n8:16 rbytes=1 wbytes=0 rios=1\n'), {
    readBytes: 4097,
    writtenBytes: 512,
  });
});

/** Calls `use` with a temporary folder that holds these files of a host. */
async function withFiles(files: Record<string, string>, use: (root: string) => Promise<void>): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'hostkeep-cgroup-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    await use(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const NET = 'Inter-|\n face |\n    lo: 9 1 0 0 0 0 0 0 9 1\n  eth0: 10 1 0 0 0 0 0 0 20 1\n';
const V2 = `sys/fs/cgroup/system.slice/docker-${ID}.scope`;
const version2 = {
  'proc/7/cgroup': `0::/system.slice/docker-${ID}.scope\n`,
  'proc/7/net/dev': NET,
  'sys/fs/cgroup/cgroup.controllers': 'cpu io memory pids\n',
  [`${V2}/cpu.stat`]: 'usage_usec 31221\nuser_usec 1\nsystem_usec 2\n',
  [`${V2}/memory.current`]: '3661824\n',
  [`${V2}/memory.max`]: '67108864\n',
  [`${V2}/memory.stat`]: 'anon 1\nfile 2\nworkingset_inactive_file 5\ninactive_file 3149824\n',
  [`${V2}/pids.current`]: '3\n',
  [`${V2}/io.stat`]: '8:0 rbytes=1 wbytes=2 rios=1 wios=1\n',
};

test('control groups of version 2 are read', () =>
  withFiles(version2, async (root) => {
    const reader = new CgroupReader(root, 1000 * MIB);
    assert.is(await reader.version(), 2);
    const read = await reader.read(container(), 7, 1);
    assert.ok(read !== 'gone' && read.clockNs > 0);
    assert.equal(
      { ...(read as ContainerSample), clockNs: 0 },
      {
        source: 'cgroup',
        cpuNs: 31_221_000,
        clockNs: 0,
        memoryBytes: 512_000,
        limitBytes: 64 * MIB,
        receivedBytes: 10,
        sentBytes: 20,
        readBytes: 1,
        writtenBytes: 2,
        pids: 3,
      },
    );
  }));

test("without a limit the host's memory counts; without I/O nothing was read", () =>
  withFiles({ ...version2, [`${V2}/memory.max`]: 'max\n', [`${V2}/io.stat`]: '' }, async (root) => {
    const read = (await new CgroupReader(root, 1000 * MIB).read(container(), 7, 1)) as ContainerSample;
    assert.is(read.limitBytes, 1000 * MIB);
    assert.is(read.readBytes, 0);
  }));

test("network counters of the host are not a container's", () =>
  withFiles(version2, async (root) => {
    const read = (await new CgroupReader(root, 1).read(
      container({ HostConfig: { NetworkMode: 'host' } }),
      7,
      1,
    )) as ContainerSample;
    assert.equal([read.receivedBytes, read.sentBytes], [0, 0]);
  }));

test('control groups of version 1 are read, each controller at its own path', () => {
  const at = (controller: string) => `sys/fs/cgroup/${controller}/docker/${ID}`;
  return withFiles(
    {
      'proc/7/cgroup': `3:blkio:/docker/${ID}\n5:pids:/docker/${ID}\n4:memory:/docker/${ID}\n2:cpuacct:/docker/${ID}\n0::/\n`,
      'proc/7/net/dev': NET,
      'sys/fs/cgroup/memory/memory.usage_in_bytes': '1\n',
      [`${at('cpuacct')}/cpuacct.usage`]: '31221139\n',
      [`${at('memory')}/memory.usage_in_bytes`]: '3661824\n',
      [`${at('memory')}/memory.limit_in_bytes`]: '9223372036854771712\n',
      [`${at('memory')}/memory.stat`]: 'inactive_file 7\ntotal_inactive_file 3149824\n',
      [`${at('pids')}/pids.current`]: '1\n',
      [`${at('blkio')}/blkio.throttle.io_service_bytes`]: '8:0 Read 5\n8:0 Write 6\nTotal 11\n',
    },
    async (root) => {
      const reader = new CgroupReader(root, 1000 * MIB);
      assert.is(await reader.version(), 1);
      const read = (await reader.read(container(), 7, 1)) as ContainerSample;
      assert.equal(
        { ...read, clockNs: 0 },
        {
          source: 'cgroup',
          cpuNs: 31_221_139,
          clockNs: 0,
          memoryBytes: 512_000,
          limitBytes: 1000 * MIB,
          receivedBytes: 10,
          sentBytes: 20,
          readBytes: 5,
          writtenBytes: 6,
          pids: 1,
        },
      );
    },
  );
});

test('a process of another container is gone, and an unreadable file is an error', () =>
  withFiles({ 'proc/7/cgroup': `0::/docker/${OTHER}\n`, 'proc/8/cgroup': `4:memory:/docker/${ID}\n` }, async (root) => {
    const reader = new CgroupReader(root, 1);
    assert.is(await reader.version(), undefined);
    assert.is(await reader.read(container(), 7, 1), 'gone');
    assert.is(await reader.read(container(), 99, 1), 'gone');
    mkdirSync(join(root, 'proc/9/cgroup'), { recursive: true }); // which not even root can read
    for (const [pid, message] of [
      [8, /no group|ENOENT/],
      [9, /EISDIR/],
    ] as const)
      await reader.read(container(), pid, 1).then(
        () => assert.unreachable(),
        (error: Error) => assert.match(error.message, message),
      );
  }));

test('the first process of a Docker or Podman container is found, and no other', async () => {
  const status = (pid: number, inside: string) => ({
    [`proc/${pid}/status`]: `Name:\tsh\nNSpid:\t${pid}${inside}\nThreads:\t1\n`,
  });
  const found = (processes: string, files: Record<string, string> = {}, group = `sys/fs/cgroup/docker/${ID}`) =>
    new Promise<number | undefined>((resolve, reject) => {
      withFiles(
        {
          ...status(7, '\t1'),
          ...status(8, '\t5'),
          ...status(9, '\t5\t1'),
          ...status(10, ''),
          ...status(11, '\t12'),
          [`${group}/cgroup.procs`]: processes,
          ...files,
        },
        async (root) => resolve(await new CgroupReader(root).firstProcess(container(), 1)),
      ).catch(reject);
    });
  for (const processes of ['', '8\n', '9\n', '10\n', '11\n', '99\n', 'nonsense\n', '-7\n'])
    assert.is(await found(processes), undefined, JSON.stringify(processes));
  assert.is(await found('7\n', {}, `sys/fs/cgroup/docker/${OTHER}`), undefined, 'another container');
  assert.is(
    await found('7\n', {}, `sys/fs/cgroup/some.slice/docker-${ID}.scope`),
    undefined,
    'in a slice where any user may create groups',
  );
  for (const group of [
    `docker/${ID}`,
    `memory/docker/${ID}`,
    `system.slice/docker-${ID}.scope`,
    `memory/system.slice/docker-${ID}.scope`,
    `machine.slice/libpod-${ID}.scope`,
    `libpod_parent/libpod-${ID}`,
  ]) {
    assert.is(await found('10\n9\n8\n7\n', {}, `sys/fs/cgroup/${group}`), 7, group);
  }
});

test("Docker's and Podman's statistics are parsed; ended ones are undefined", () => {
  const docker = {
    read: '2026-11-20T12:20:46.824856236Z',
    pids_stats: { current: 1 },
    networks: { eth0: { rx_bytes: 1749, tx_bytes: 701 }, eth1: { rx_bytes: 1, tx_bytes: 2 } },
    blkio_stats: {
      io_service_bytes_recursive: [
        { op: 'Read', value: 5 },
        { op: 'write', value: 6 },
        { op: 'Total', value: 11 },
      ],
    },
    cpu_stats: {
      cpu_usage: { total_usage: 31_221_139, percpu_usage: [1, 2] },
      system_cpu_usage: 3_790_940_000_000,
      online_cpus: 2,
    },
    memory_stats: { usage: 3_661_824, stats: { inactive_file: 7, total_inactive_file: 3_149_824 }, limit: 67_108_864 },
  };
  assert.equal(parseStats(docker), {
    source: 'engine',
    cpuNs: 31_221_139,
    clockNs: Date.parse('2026-11-20T12:20:46.824Z') * 1e6,
    memoryBytes: 512_000,
    limitBytes: 67_108_864,
    receivedBytes: 1750,
    sentBytes: 703,
    readBytes: 5,
    writtenBytes: 6,
    pids: 1,
  });
  const podman = parseStats({
    ...docker,
    networks: { network: { rx_bytes: 1 } },
    blkio_stats: { io_service_bytes_recursive: null },
    cpu_stats: { cpu_usage: { total_usage: 9 }, system_cpu_usage: 5, online_cpus: 0 },
    memory_stats: { usage: 10, limit: 20 },
  });
  assert.equal([podman?.cpuNs, podman?.memoryBytes, podman?.readBytes], [9, 10, 0]);
  for (const ended of [undefined, null, [], 'x', { pids_stats: {}, memory_stats: {}, read: '0001-01-01T00:00:00Z' }])
    assert.is(parseStats(ended), undefined);
});

test('figures of a hostile engine become safe integers', () => {
  const stats = parseStats({
    pids_stats: { current: 1.5 },
    memory_stats: { usage: 1e308, limit: -5, stats: [] },
    networks: { a: { rx_bytes: '9' } },
    cpu_stats: 7,
    blkio_stats: { io_service_bytes_recursive: [null, { op: 1 }] },
  });
  assert.ok(stats);
  assert.is(totals([{ id: '', ...stats, cpuPercent: 0 }]).PIDs, 1);
  assert.equal(
    Object.values(stats)
      .slice(1)
      .every((figure) => Number.isSafeInteger(figure)),
    true,
  );
  assert.throws(() => parseContainers({ message: 'no' }), /not an array/);
  assert.equal(
    parseContainers([null, 5, {}, { Id: '../../images' }, { Id: ID, Labels: [], Ports: 'x', Names: [1, '/a'] }]).map(
      ({ id, names }) => [id, names],
    ),
    [[ID, ['a']]],
  );
});

// threat reused-names: a compose project named like an account is not that account's by its name alone
test("a container belongs to the account it names, or to its own engine's", () => {
  const labelled = (Id: string, Labels: Record<string, string>) => ({ Id: Id.repeat(64), Labels });
  const project = (Id: string, folder?: string, more: Record<string, string> = {}) =>
    labelled(Id, {
      'com.docker.compose.project': 'ann',
      ...(folder !== undefined && { 'com.docker.compose.project.working_dir': folder }),
      ...more,
    });
  const containers = parseContainers([
    labelled('1', { 'hostkeep.account': 'ann' }),
    project('2', '/home/ann'),
    project('3', '/home/ann/www/shop/'),
    project('4', '/home/ann/www', { 'hostkeep.account': 'bob' }),
    labelled('5', { 'hostkeep.account': 'ann2' }),
    labelled('6', {}),
    project('7'),
    project('8', '/srv/ann'),
    project('9', '/home/ann/../bob/ann'),
    project('a', '/home'),
    project('b', '/home/anna'),
    project('c', ''),
  ]);
  const of = (username: string, isOwn = false) =>
    new ContainerSnapshot(containers, isOwn)
      .of({ username, filesRoot: `/home/${username}/www` } as Account)
      .map(({ id }) => id[0])
      .join('');
  assert.equal(
    [of('ann'), of('bob'), of('cleo'), of('constructor'), of('cleo', true)],
    ['123', '4', '', '', '123456789abc'],
  );
});

test('ports of a container are written in runs, followed by mapped ones', () => {
  const port = (privatePort: number, publicPort = 0, ip = '', protocol = 'tcp') => ({
    ip,
    privatePort,
    publicPort,
    protocol,
  });
  assert.is(portText([]), '');
  assert.is(
    portText([port(9002), port(9000), port(9001), port(9988), port(53, 0, '', 'udp')]),
    '9000-9002/tcp, 53/udp, 9988/tcp',
  );
  assert.is(
    portText([port(80, 8080, '0.0.0.0'), port(80, 8080, '::'), port(443)]),
    '443/tcp, 0.0.0.0:8080->80/tcp, [::]:8080->80/tcp',
  );
  const twice = [port(80, 8081, '0.0.0.0'), port(80, 8080, '0.0.0.0')];
  assert.is(portText(twice), '0.0.0.0:8080->80/tcp, 0.0.0.0:8081->80/tcp');
  assert.is(portText([port(81, 81, '0.0.0.0'), port(80, 80, '0.0.0.0')]), '0.0.0.0:80-81->80-81/tcp');
});

test("disk usage has the account's containers, their images and volumes", () => {
  const labelled = (account: string) => ({ Labels: { 'hostkeep.account': account } });
  const [NEWER, MEASURED_AT] = ['c'.repeat(64), 1_795_177_226_000];
  const usage = parseEngineUsage(
    {
      Containers: [{ Id: ID, SizeRw: 3_145_734 }, { Id: OTHER }],
      Images: [
        { Id: '1', RepoTags: ['secret:1', 'shop:latest'], Size: 1_984_172, SharedSize: -1, Created: 1_795_177_216 },
        { Id: 'sha256:2', RepoTags: ['unused:1'] },
      ],
      Volumes: [
        { Name: 'data', UsageData: { Size: 2_097_152, RefCount: 5 } },
        { Name: 'hidden' },
        { Name: 'kept', ...labelled('ann'), UsageData: { Size: -1 } },
      ],
      BuildCache: null,
    },
    MEASURED_AT,
  );
  const all = parseContainers([
    {
      Id: ID,
      Names: ['/web'],
      Image: 'shop',
      ImageID: 'sha256:1',
      Command: 'sh',
      Created: 1_795_177_216,
      ...labelled('ann'),
      Mounts: [
        { Type: 'volume', Name: 'data', Driver: 'local' },
        { Type: 'bind', Source: '/srv' },
      ],
    },
    {
      Id: OTHER,
      Image: 'secret:1',
      ImageID: 'sha256:1',
      ...labelled('bob'),
      Mounts: [{ Type: 'volume', Name: 'hidden', Driver: 'local' }],
    },
    { Id: NEWER, ...labelled('ann'), Created: 1_795_177_233, Image: 'shop', ImageID: 'sha256:1' },
  ]);
  const {
    data: [mine],
    date,
    measured_at: measuredAt,
  } = accountDiskUsage(
    usage,
    { all, now: MEASURED_AT + 10_000 },
    (labels) => readLabel(labels, 'hostkeep.account') === 'ann',
  );
  assert.is(date, '2026-11-20-12-20-26', 'when sizes were measured');
  assert.is(measuredAt, '2026-11-20T12:20:26.000Z');
  assert.equal(
    mine?.Containers.map(({ ID: id, Size, Mounts, LocalVolumes, RunningFor }) => [
      id,
      Size,
      Mounts,
      LocalVolumes,
      RunningFor,
    ]),
    [
      [ID, '3.15MB', 'data,/srv', '1', '20 seconds ago'],
      [NEWER, 'N/A', '', '0', '3 seconds ago'],
    ],
  );
  assert.equal(
    mine?.Images.map(({ Repository, Tag, Containers, SharedSize, VirtualSize }) => [
      Repository,
      Tag,
      Containers,
      SharedSize,
      VirtualSize,
    ]),
    [['shop', 'latest', '2', 'N/A', '1.984MB']],
  );
  assert.equal(
    mine?.Volumes.map(({ Name, Links, Size }) => [Name, Links, Size]),
    [
      ['data', '1', '2.097MB'],
      ['kept', '0', 'N/A'],
    ],
  );
  assert.equal(mine?.BuildCache, []);
});

test('the remedy for missing access differs from the one for a missing engine', () => {
  assert.match(remedyFor('connect EACCES /var/run/docker.sock', false), /usermod -aG docker/);
  assert.match(remedyFor('connect ENOENT /var/run/docker.sock', false), /apt-get install docker\.io/);
  assert.match(remedyFor('connect EACCES /home/ann/docker.sock', true), /the account's engine/);
});

// threat hostile-backend: the disk usage of an engine that repeats itself takes a time in proportion to its reply
test('thousands of images with one id, and of containers of it, are shown in a moment', () => {
  const count = 5000;
  const containers = parseContainers(
    Array.from({ length: count }, (_, i) => ({
      Id: i.toString(16).padStart(64, '0'),
      Image: `shop:${i}`,
      ImageID: 'sha256:1',
      Mounts: [{ Name: 'data' }, { Name: 'data' }],
    })),
  );
  const usage = parseEngineUsage(
    {
      Images: Array.from({ length: count }, (_, i) => ({ Id: 'sha256:1', RepoTags: ['other:1', `shop:${i}`] })),
      Volumes: Array.from({ length: count }, () => ({ Name: 'data' })),
    },
    0,
  );
  const started = process.cpuUsage();
  const [{ Images, Volumes }] = accountDiskUsage(usage, { all: containers, now: 0 }, () => true).data as [
    DiskUsage['data'][number],
  ];
  assert.ok(process.cpuUsage(started).user < 1_000_000, `${process.cpuUsage(started).user} µs`);
  assert.equal([Images.length, Images[0]?.Containers, Images[0]?.Tag], [count, String(count), '0']);
  assert.equal([Volumes.length, Volumes[0]?.Links], [count, String(count)]);
});
