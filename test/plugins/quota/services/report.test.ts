import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { projectDir } from '../../../../kernel/kit/files/project-dir.ts';
import { errorMessage } from '../../../../kernel/errors.ts';
import { quotaMounts, RepquotaParser, type QuotaRow } from '../../../../plugins/quota/kernel-quota/repquota.ts';
import type { DiskInodes } from '../../../../plugins/quota/schema.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { reportSkipped, testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

const test = testSuite('kernel quotas');

const fixture = (name: string) => readFileSync(join(projectDir, 'test/plugins/quota/fixtures', name), 'utf8');
const servers: TestServer[] = [];
test.after(() => Promise.all(servers.map((server) => server.close())).then(() => undefined));
const DATE = /^\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d$/;

/** Returns the rows of a complete report by user. */
function parseRepquota(text: string): Map<string, QuotaRow> {
  const parser = new RepquotaParser();
  return new Map(
    text
      .split('\n')
      .flatMap((line) => parser.row(line) ?? [])
      .map((row) => [row.user, row]),
  );
}

/** A fake repquota that records the arguments of each call, prints `output` and exits with `code`. */
function fakeRepquota(folder: string, output: string, code = 0): { command: string; calls: () => string[] } {
  const command = join(folder, 'repquota');
  writeFileSync(join(folder, 'output'), output);
  writeFileSync(join(folder, 'calls'), '');
  writeFileSync(command, `#!/bin/sh\necho "$*" >> '${folder}/calls'\ncat '${folder}/output'\nexit ${code}\n`, {
    mode: 0o755,
  });
  return {
    command,
    calls: () =>
      readFileSync(join(folder, 'calls'), 'utf8')
        .split('\n')
        .filter((line) => line !== ''),
  };
}

/** Starts a server whose accounts have no user ids, so that it sets no limits; unless `config` says otherwise. */
async function start(config: Record<string, unknown>): Promise<TestServer> {
  const server = await TestServer.start({ config: { ids: { first: 0 }, ...config } });
  servers.push(server);
  return server;
}

/** A server whose data lie on the file system that the report is on. */
async function serverWith(output: string, code = 0) {
  const folder = temporaryFolder();
  const { command, calls } = fakeRepquota(folder, output, code);
  const server = await start({ quota: { repquota: command, mounts: [folder] } });
  return { server, folder, calls, ask: (token: string) => server.ask<DiskInodes>('/api/disk_inodes', { token }) };
}

test('reports are read with every form of grace, and without one', () => {
  const alice = {
    user: 'alice',
    blocksUsed: 6140,
    blocksSoft: 10240,
    blocksHard: 10240,
    filesUsed: 7,
    filesSoft: 100,
    filesHard: 100,
  };
  assert.equal(parseRepquota(fixture('repquota-u-csv-p.txt')).get('alice'), alice);
  assert.equal(parseRepquota(fixture('repquota-un-csv.txt')).get('#1001'), { ...alice, user: '#1001' });
  assert.equal([...parseRepquota(fixture('repquota-un-csv.txt')).keys()], ['#0', '#1001', '#1002']);
  assert.equal(parseRepquota(fixture('over-soft-repquota-u-csv-p.txt')).get('alice'), {
    ...alice,
    blocksSoft: 5000,
    filesSoft: 5,
  });
  assert.equal(parseRepquota(fixture('at-hard-repquota-u-csv.txt')).get('alice'), {
    user: 'alice',
    blocksUsed: 10240,
    blocksSoft: 5000,
    blocksHard: 10240,
    filesUsed: 8,
    filesSoft: 5,
    filesHard: 100,
  });
  assert.equal(parseRepquota(fixture('repquota-u-csv-p.txt')).get('bob'), {
    user: 'bob',
    blocksUsed: 4,
    blocksSoft: 0,
    blocksHard: 0,
    filesUsed: 1,
    filesSoft: 0,
    filesHard: 0,
  });
});

test('columns are found by name, and what is no row of a user is left out', () => {
  const text = `repquota: a warning, of some kind
User,FileUsed,FileSoftLimit,FileHardLimit,FileGrace,BlockUsed,BlockSoftLimit,BlockHardLimit,BlockGrace
ann,1,2,3,none,4,5,6,00:30\r
short,1,2
,1,2,3,,4,5,6,
odd,1,2,3,,-4,5,6,
Group,BlockStatus,FileStatus,BlockUsed,BlockSoftLimit,BlockHardLimit,BlockGrace,FileUsed,FileSoftLimit,FileHardLimit,FileGrace
staff,ok,ok,20,0,0,0,2,0,0,0`;
  assert.equal(
    [...parseRepquota(text).values()],
    [{ user: 'ann', filesUsed: 1, filesSoft: 2, filesHard: 3, blocksUsed: 4, blocksSoft: 5, blocksHard: 6 }],
  );
  const parser = new RepquotaParser();
  assert.is(parser.row('ann,ok,ok,20,0,0,0,2,0,0,0'), undefined);
  assert.not.ok(parser.hasReport);
  for (const name of ['repquota-u.txt', 'quota-alice.txt', 'quota-bob-none.txt', 'over-soft-quota-alice.txt'])
    assert.is(parseRepquota(fixture(name)).size, 0, name);
});

test('file systems with user quotas are found in the mount table', () => {
  const table = `22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard
42 27 7:0 / /srv/with\\040blank rw,relatime - ext4 /dev/loop0 rw,quota,usrquota,grpquota
43 27 7:0 /sub /bind rw,relatime shared:2 master:1 - ext4 /dev/loop0 rw,quota,usrquota,grpquota
44 27 8:1 /sub /home rw,relatime - xfs /dev/sda1 rw,attr2,uquota,noprjquota
45 27 8:2 / /noquota rw - xfs /dev/sda2 rw,noquota
46 27 8:3 / /journaled rw - ext4 /dev/sda3 rw,usrjquota=aquota.user,jqfmt=vfsv1
47 27 8:4 / /groups rw - ext4 /dev/sda4 rw,grpquota
`;
  assert.equal(quotaMounts(table), ['/srv/with blank', '/home', '/journaled']);
});

test("the kernel's figures are returned, read once for all requests", async () => {
  const { server, folder, calls, ask } = await serverWith(fixture('over-soft-repquota-u-csv-p.txt'));
  const [alice, bob] = [await server.user('alice'), await server.user('bob')];
  const answers = await Promise.all([alice, bob, alice, bob].map(({ token }) => ask(token)));
  assert.match(answers[0]?.body.date ?? '', DATE);
  assert.equal(
    { ...answers[0]?.body, date: '', measured_at: '' },
    {
      date: '',
      measured_at: '',
      disk_hard: 10240,
      disk_soft: 5000,
      disk_used: 6140,
      inodes_hard: 100,
      inodes_soft: 5,
      inodes_used: 7,
    },
  );
  assert.equal(
    { ...answers[1]?.body, date: '', measured_at: '' },
    {
      date: '',
      measured_at: '',
      disk_hard: 0,
      disk_soft: 0,
      disk_used: 4,
      inodes_hard: 0,
      inodes_soft: 0,
      inodes_used: 1,
    },
  );
  assert.equal(calls(), [`-u -p -v -O csv -- ${folder}`]);
});

test('the limits of an account that moves are for the operator to set at its new home', async () => {
  const { server } = await serverWith(fixture('repquota-u-csv-p.txt'));
  const part = (await server.hostkeep.plugins.gather('move')).find(({ plugin }) => plugin === 'quota');
  if (part?.ok !== true) return assert.unreachable('the plugin says nothing of moves');
  const leftOf = async (name: string) => part.value.leftToDo?.((await server.user(name)).account, 'two');
  assert.equal(await leftOf('carol'), [], 'the kernel counts nothing of it');
  assert.equal(await leftOf('bob'), [], 'without a limit');
  assert.equal(await leftOf('alice'), [
    'set the quota of alice at two, soft and hard: 10240 and 10240 KiB, 100 and 100 inodes',
  ]);
});

test('after a first request, reports are read at intervals without another one', async () => {
  const folder = temporaryFolder();
  const { command, calls } = fakeRepquota(folder, fixture('repquota-u-csv-p.txt'));
  const server = await start({ quota: { repquota: command, mounts: [folder], interval_seconds: 1 } });
  const { token } = await server.user('alice');
  assert.equal(calls(), [], 'before any request');
  const asked = performance.now();
  await server.ask('/api/disk_inodes', { token });
  await until('three reports', () => calls().length >= 3);
  assert.ok(performance.now() - asked >= 1900, 'two intervals lie between three reports');
  assert.equal(new Set(calls()), new Set([`-u -p -v -O csv -- ${folder}`]));
});

test("a user without a name is known by the files root's owner, never root's", async () => {
  const owner = process.getuid?.() === 0 ? 1001 : process.getuid?.();
  const { server, ask } = await serverWith(
    fixture('repquota-un-csv.txt')
      .replace('#1001', `#${owner}`)
      .replace('#0', 'root')
      .concat('#0,ok,ok,5,5,5,,5,5,5,\n'),
  );
  const [owned, root] = [await server.user('owned'), await server.user('root', 'basic')];
  mkdirSync(owned.account.filesRoot, { recursive: true });
  if (owner === 1001) chownSync(owned.account.filesRoot, 1001, 1001);
  assert.is((await ask(owned.token)).body.disk_used, 6140);
  const { body } = await ask(root.token);
  assert.equal(
    [body.disk_used, body.disk_hard, body.inodes_used],
    [0, 5120 * 1024, 0],
    'measured, because it has no files yet',
  );
});

test('usage is measured where the report fails or lacks the user', async () => {
  for (const [output, code] of [
    ['', 1],
    ['repquota: no quota enabled\n', 1],
    [fixture('repquota-u-csv-p.txt'), 0],
  ] as const) {
    const { server, ask } = await serverWith(output, code);
    const { token } = await server.user('carol', 'basic');
    assert.equal(
      { ...(await ask(token)).body, date: '', measured_at: '' },
      {
        date: '',
        measured_at: '',
        disk_hard: 5242880,
        disk_soft: 5242880,
        disk_used: 0,
        inodes_hard: 100000,
        inodes_soft: 100000,
        inodes_used: 0,
      },
    );
  }
  const elsewhere = await start({
    quota: { repquota: fakeRepquota(temporaryFolder(), fixture('repquota-u-csv-p.txt')).command, mounts: ['/proc'] },
  });
  const { token } = await elsewhere.user('alice');
  assert.is((await elsewhere.ask<DiskInodes>('/api/disk_inodes', { token })).body.disk_used, 0);
});

test("files that cannot be reached are the server's fault", async () => {
  const server = await start({ files_root: `{data}/${'x'.repeat(300)}/{username}` });
  const { token } = await server.user('ann');
  const { status, body } = await server.ask('/api/disk_inodes', { token });
  assert.equal([status, body['error']], [503, 'files_unavailable']);
});

test('a report with rows counts whatever the exit code', async () => {
  const { server, ask } = await serverWith(fixture('repquota-u-csv-p.txt'), 1);
  const { token } = await server.user('alice');
  assert.is((await ask(token)).body.disk_used, 6140);
});

test('real quotas of a file system of our own are read by the real repquota', async () => {
  const folder = temporaryFolder();
  const [image, mount] = [join(folder, 'image'), join(folder, 'mount')];
  const as = (command: string, ...args: string[]) =>
    execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  mkdirSync(mount);
  try {
    as('truncate', '-s', '32M', image);
    as('mkfs.ext4', '-q', '-F', image);
    as('mount', '-o', 'loop,usrquota', image, mount);
  } catch (error) {
    return reportSkipped(`a file system with quotas cannot be mounted here (${errorMessage(error).split('\n')[0]})`);
  }
  try {
    mkdirSync(join(mount, 'ann'));
    writeFileSync(join(mount, 'ann/data'), Buffer.alloc(3 << 20, 1));
    for (const path of ['ann', 'ann/data']) chownSync(join(mount, path), 61234, 61234);
    as('quotacheck', '-cum', mount);
    as('setquota', '-u', '61234', '8192', '16384', '50', '60', mount);
    execFileSync('sync', ['-f', mount]);
    as('quotacheck', '-um', mount);
    const used = Number(execFileSync('du', ['-sk', '--', join(mount, 'ann')], { encoding: 'utf8' }).split('\t')[0]);
    const server = await start({ files_root: join(mount, '{username}') });
    const { token } = await server.user('ann');
    assert.equal(
      { ...(await server.ask<DiskInodes>('/api/disk_inodes', { token })).body, date: '', measured_at: '' },
      {
        date: '',
        measured_at: '',
        disk_hard: 16384,
        disk_soft: 8192,
        disk_used: used,
        inodes_hard: 60,
        inodes_soft: 50,
        inodes_used: 2,
      },
    );
    const findings = (await server.hostkeep.plugins.gather('doctor')).find(({ plugin }) => plugin === 'quota');
    assert.ok(
      findings?.ok && findings.value.some(({ ok, detail }) => ok && detail.startsWith(`${mount}: `)),
      JSON.stringify(findings),
    );
    await server.hostkeep.core.jobs.close(); // their processes hold the files root open
  } finally {
    as('umount', mount);
  }
});
