import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { ControlGroups } from '../../../kernel/kit/programs/control-groups.ts';
import { codeOf } from '../../support/code-of.ts';
import { testSuite } from '../../support/suite.ts';
import { groupsInFolder, verbsWith } from './groups.ts';

const test = testSuite('verbs of resources');
const LIMITS = { accountId: 7, memoryMib: 512, cpuPercent: 150, processes: 100, readMib: 10, writeMib: 0 };
const FREE = { accountId: 7, memoryMib: 0, cpuPercent: 0, processes: 0, readMib: 0, writeMib: 0 };

// threat stolen-service: a caller in foreign hands names no file and no group but those of accounts
test('the broker takes numbers within reason for accounts, and nothing else', async () => {
  const { groups } = groupsInFolder();
  const { limit, kill, end } = verbsWith(groups);
  for (const faulty of [
    null,
    LIMITS,
    [{ ...LIMITS, accountId: 0 }],
    [{ ...LIMITS, accountId: '../broker' }],
    [{ ...LIMITS, memoryMib: -1 }],
    [{ ...LIMITS, memoryMib: 2 ** 40 }],
    [{ ...LIMITS, cpuPercent: 0.5 }],
    [{ ...LIMITS, processes: 'max' }],
    [{ ...LIMITS, readMib: '1 wbps=1' }],
    [{ ...LIMITS, writeMib: 2 ** 40 }],
    [{ ...LIMITS, file: 'cgroup.procs' }],
    Array.from({ length: 1001 }, () => LIMITS),
  ])
    assert.is(
      await codeOf((async () => limit(faulty as never))()),
      'invalid_request',
      JSON.stringify(faulty)?.slice(0, 99),
    );
  for (const faulty of [0, -1, '7', '../broker', null])
    for (const verb of [kill, end])
      assert.is(await codeOf((async () => verb(faulty as never))()), 'invalid_request', String(faulty));
  assert.equal([...groups.kept()], []);
});

test('where nothing is delegated, nothing is kept, and that is said', async () => {
  const verbs = verbsWith(ControlGroups.none('no such thing here'));
  assert.equal(await verbs.figures(null), {
    ...{ problem: 'no such thing here', controllers: [], diskProblem: 'no such thing here', groups: [] },
  });
  assert.equal(await verbs.kept(null), []);
  assert.is(await codeOf(verbs.limit([LIMITS])), 'invalid_request');
  assert.equal([await verbs.kill(7), await verbs.end(7)], [false, false]);
});

test('limits become the files of the kernel, and are read back', async () => {
  const { groups, folderOf } = groupsInFolder();
  const verbs = verbsWith(groups);
  groups.ofAccount(7);
  const written = (file: string) => readFileSync(join(folderOf(7), file), 'utf8');
  await verbs.limit([LIMITS]);
  const files = ['memory.max', 'memory.swap.max', 'cpu.max', 'pids.max', 'io.max'];
  assert.equal(files.map(written), [...['536870912', '0', '150000 100000', '100', '8:0 rbps=10485760 wbps=max']]);
  assert.equal(await verbs.kept(null), [LIMITS]);
  await verbs.limit([FREE]);
  assert.equal(files.map(written), [...['max', 'max', 'max 100000', 'max', '8:0 rbps=max wbps=max']]);
  assert.equal(await verbs.kept(null), [FREE]);
});

test('figures are what the kernel counts, without files that are not in use', async () => {
  const { groups, folderOf } = groupsInFolder();
  groups.ofAccount(0);
  groups.ofAccount(7);
  const files = {
    'memory.current': '9000\n',
    'memory.stat': 'anon 5000\nfile 4000\ninactive_file 3000\n',
    'memory.events': 'low 0\nhigh 0\nmax 9\noom 3\noom_kill 2\noom_group_kill 0\n',
    'pids.current': '12\n',
    'pids.events': 'max 4\n',
    'cpu.stat': 'usage_usec 1500000\nuser_usec 1\nnr_periods 30\nnr_throttled 20\nthrottled_usec 7\n',
    'io.stat': '8:10 rbytes=1 wbytes=1 rios=1 wios=1\n8:0 rbytes=4096 wbytes=8192 rios=1 wios=2 dbytes=9 dios=1\n',
    'cgroup.events': 'populated 1\nfrozen 0\n',
  };
  assert.equal((await verbsWith(groups).figures(null)).groups, []);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folderOf(7), name), text);
  assert.equal((await verbsWith(groups).figures(null)).groups, [
    {
      accountId: 7,
      memoryBytes: 6000,
      processes: 12,
      cpuUs: 1_500_000,
      readBytes: 4096,
      writtenBytes: 8192,
      killed: 2,
      refused: 4,
      throttled: 20,
    },
  ]);
});
