/** Limits of plans that file systems keep, and what accounts near them are told. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import type { ResourceUsage } from '../../../../kernel/contract/points/account-report.ts';
import { errorMessage } from '../../../../kernel/errors.ts';
import { createLog } from '../../../../kernel/log.ts';
import { storageNotices } from '../../../../plugins/quota/keeping/notices.ts';
import privileged from '../../../../plugins/quota/privileged.ts';
import { RepquotaParser, type QuotaRow } from '../../../../plugins/quota/kernel-quota/repquota.ts';
import type { QuotaConfig } from '../../../../plugins/quota/schema.ts';
import { atEnd } from '../../../support/ending.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { reportSkipped, testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

const test = testSuite('limits of storage');
const FIRST = 200_000;
const MIB = 1024;

/** A setquota that keeps what it is told, and fails while there is a file `fails`. */
function fakeSetquota() {
  const folder = temporaryFolder();
  const command = join(folder, 'setquota');
  writeFileSync(join(folder, 'told'), '');
  const script = `#!/bin/sh\n[ ! -e '${folder}/fails' ] || { echo broken >&2; exit 1; }\necho "$*" >> '${folder}/told'\ncat >> '${folder}/told'\n`;
  writeFileSync(command, script, { mode: 0o755 });
  return { command, told: () => readFileSync(join(folder, 'told'), 'utf8'), folder };
}

function openVerbs(config: Partial<QuotaConfig>) {
  return privileged.open({
    config: { repquota: 'false', setquota: 'false', mounts: ['/srv'], ...config } as never,
    log: createLog('silent'),
    rootOf: () => {
      throw new Error('no files are touched');
    },
    userOf: ({ id }) => (id < 1000 ? { uid: FIRST + id, gid: FIRST + id, webGid: null } : null) as never,
    signal: new AbortController().signal,
  });
}

// threat stolen-service: limits are set for user ids of accounts only, on file systems that have quotas
test('the broker refuses limits of anybody else, elsewhere, or beyond reason', async () => {
  const { command, told } = fakeSetquota();
  const { limit } = openVerbs({ setquota: command });
  const ann = { account: { id: 7, username: 'ann' }, mib: 1, inodes: 2 };
  for (const wrong of [
    null,
    { mount: '/home', limits: [ann] },
    { mount: '-a', limits: [ann] },
    { mount: '/srv', limits: [{ ...ann, account: { id: 0, username: 'root' } }] },
    { mount: '/srv', limits: [{ ...ann, account: { id: 1000, username: 'ann' } }] },
    { mount: '/srv', limits: [{ ...ann, account: { id: 7, username: 'ann\n0 0 0 0 0' } }] },
    { mount: '/srv', limits: [{ ...ann, mib: -1 }] },
    { mount: '/srv', limits: [{ ...ann, mib: '1 1\n0' }] },
    { mount: '/srv', limits: [{ ...ann, inodes: 0.5 }] },
    { mount: '/srv', limits: [{ ...ann, uid: 0 }] },
    { mount: '/srv', limits: Array.from({ length: 1001 }, () => ann) },
  ])
    await limit(wrong as never).then(
      () => assert.unreachable(JSON.stringify(wrong)),
      (error: unknown) => assert.is((error as { code?: string }).code, 'invalid_request', JSON.stringify(wrong)),
    );
  assert.is(told(), '');
  await limit({ mount: '/srv', limits: [ann, { ...ann, account: { id: 8, username: 'ben' }, mib: 0 }] });
  assert.is(told(), `-u -b -- /srv\n${FIRST + 7} 1024 1024 2 2\n${FIRST + 8} 0 0 2 2\n`);
});

test('what the tool says of a failure is the reason', async () => {
  const { command, folder } = fakeSetquota();
  writeFileSync(join(folder, 'fails'), '');
  const { limit } = openVerbs({ setquota: command });
  await limit({ mount: '/srv', limits: [] }).then(
    () => assert.unreachable(),
    (error: unknown) => assert.is(errorMessage(error), 'broken'),
  );
});

test('an account is told of each level once, and again after it has left it', async () => {
  const server = await TestServer.start();
  atEnd(() => server.close());
  const account = await server.account('ann');
  let usage: ResourceUsage[] = [];
  const { core } = server.hostkeep;
  const notices = storageNotices({ ...core, identity: core }, async () => new Map([[account.id, usage]]));
  const told = async (disk: number, inodes = 0) => {
    usage = [
      { resource: 'disk_kib', used: disk, limit: 100, isOver: false },
      { resource: 'inodes', used: inodes, limit: inodes === 0 ? 0 : 100, isOver: false },
    ];
    await notices.look();
    const { lines } = await core.events.page(account.id, ' % of its ', 0, 50);
    return lines.length;
  };
  for (const [disk, count] of [
    [79, 0],
    [80, 1],
    [94, 1],
    [79, 1],
    [81, 1],
    [96, 2],
    [100, 2],
    [91, 2],
    [95, 2],
    [90, 2],
    [95, 3],
    [10, 3],
    [99, 4],
  ] as const)
    assert.is(await told(disk), count, `${disk} %`);
  assert.is(await told(99, 80), 5);
});

test('the file system keeps what the plan says, also after a change and a failure', async () => {
  const folder = temporaryFolder();
  const [image, mount] = [join(folder, 'image'), join(folder, 'mount')];
  const as = (command: string, ...args: string[]) =>
    execFileSync(command, args, { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
  mkdirSync(mount);
  try {
    as('truncate', '-s', '32M', image);
    as('mkfs.ext4', '-q', '-F', image);
    as('mount', '-o', 'loop,usrquota', image, mount);
  } catch (error) {
    return reportSkipped(`a file system with quotas cannot be mounted here (${errorMessage(error).split('\n')[0]})`);
  }
  try {
    as('quotacheck', '-cum', mount);
    const rowOf = (uid: number): QuotaRow | undefined => {
      const parser = new RepquotaParser();
      const rows = as('repquota', '-u', '-p', '-v', '-O', 'csv', '--', mount).split('\n');
      return rows.flatMap((line) => parser.row(line) ?? []).find(({ user }) => user === `#${uid}`);
    };
    const server = await TestServer.start({
      config: { ids: { first: FIRST }, files_root: join(mount, '{username}'), quota: { mounts: [mount] } },
    });
    const { account } = await server.user('ann', 'basic');
    const uid = FIRST + account.id;
    const isKept = (mib: number, inodes: number) => () => {
      const { blocksSoft, blocksHard, filesSoft, filesHard } = rowOf(uid) ?? {};
      return String([blocksSoft, blocksHard, filesSoft, filesHard]) === String([mib * MIB, mib * MIB, inodes, inodes]);
    };
    await until('the limits of basic are kept', isKept(5120, 100_000));
    as('setquota', '-u', String(uid), '0', '0', '0', '0', mount);
    await server.hostkeep.core.accounts.update('ann', { plan: 'standard' });
    await until('the limits of standard are kept', isKept(20_480, 500_000));
    const [part] = (await server.hostkeep.plugins.gather('doctor')).filter(({ plugin }) => plugin === 'quota');
    const finding = part?.ok === true ? part.value.find(({ name }) => name === 'limits of plans') : undefined;
    assert.equal([finding?.ok, finding?.detail], [true, 'the file systems keep the storage limits of all plans']);
    as('setquota', '-u', String(uid), '1', '1', '1', '1', mount);
    const [later] = (await server.hostkeep.plugins.gather('doctor')).filter(({ plugin }) => plugin === 'quota');
    assert.match(JSON.stringify(later), /storage limits no file system keeps yet: 1"/);
    await server.close();
  } finally {
    as('umount', mount);
  }
});
