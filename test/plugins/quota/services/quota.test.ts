import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  createReadStream,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import type { Account } from '../../../../kernel/identity/accounts/account.ts';
import { HttpError, errorMessage } from '../../../../kernel/errors.ts';
import { createLog } from '../../../../kernel/log.ts';
import { FolderSizes } from '../../../../plugins/quota/folders/folder-sizes.ts';
import { LatestLargest } from '../../../../plugins/quota/folders/latest-largest.ts';
import type { DiskInodes, LargestFolders } from '../../../../plugins/quota/schema.ts';
import { keepLargest, readLargest } from '../../../../plugins/quota/store.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { reportSkipped, testSuite } from '../../../support/suite.ts';
import { Swapper } from '../../../support/swap.ts';
import { LITERAL, OUTSIDE } from '../../../support/traversal.ts';
import { until } from '../../../support/until.ts';

const test = testSuite('quota');
const servers: TestServer[] = [];
let server: TestServer;
let ann: { account: Account; token: string };

async function start(quota: Record<string, unknown> = {}): Promise<TestServer> {
  const started = await TestServer.start({ config: { quota: { mounts: ['/proc'], repquota: 'false', ...quota } } });
  servers.push(started);
  return started;
}
test.before(async () => {
  server = await start();
  ann = await server.user('ann', 'basic');
  mkdirSync(ann.account.filesRoot, { recursive: true });
});
test.after(() => Promise.all(servers.map((each) => each.close())).then(() => undefined));

const size = (folder: string, token = ann.token) =>
  server.ask<{ size: string; error?: string }>(`/api/directory-size?folder=${encodeURIComponent(folder)}`, { token });
const duOf = (path: string, ...options: string[]) =>
  execFileSync('du', ['-s', ...options, '--', path], { encoding: 'utf8' }).split('\t')[0];
const never = () => new AbortController().signal;

/** A du of our own that says through a pipe that it started, and runs on until it is ended: the pipe closes with it. */
function endlessDu(): { command: string; started: () => Promise<{ ended: Promise<unknown> }> } {
  const folder = temporaryFolder();
  const [command, pipe] = [join(folder, 'du'), join(folder, 'pipe')];
  execFileSync('mkfifo', ['--', pipe]);
  writeFileSync(command, `#!/bin/sh\nexec 3> '${pipe}'\necho started >&3\nexec tail -f /dev/null\n`, { mode: 0o755 });
  return {
    command,
    started: async () => {
      const stream = createReadStream(pipe);
      await once(stream, 'data');
      return { ended: once(stream.resume(), 'end') };
    },
  };
}

/** A du of our own that notes its calls and answers once a line comes through its pipe; the end of the line before is none. */
function patientDu(end = '\\n'): { command: string; release: () => Promise<void>; calls: () => number } {
  const folder = temporaryFolder();
  const command = join(folder, 'du');
  execFileSync('mkfifo', ['--', join(folder, 'pipe')]);
  writeFileSync(join(folder, 'calls'), '');
  writeFileSync(
    command,
    `#!/bin/sh\necho call >> '${folder}/calls'\nuntil read -r line < '${folder}/pipe'; do :; done\nprintf '4096\\t.${end}'\n`,
    { mode: 0o755 },
  );
  return {
    command,
    release: () => writeFile(join(folder, 'pipe'), 'go\n'),
    calls: () => readFileSync(join(folder, 'calls'), 'utf8').split('\n').length - 1,
  };
}

test('guests and accounts with neither feature are refused; either opens both', async () => {
  const { accounts } = server.hostkeep.core;
  for (const path of ['/api/disk_inodes', '/api/directory-size?folder=/var/www/html']) {
    assert.is((await server.ask(path)).status, 401);
    for (const [username, lost, status] of [
      ['neither', ['disk_usage', 'inodes'], 403],
      ['disk', ['inodes'], 200],
      ['inodes', ['disk_usage'], 200],
    ] as const) {
      const account = (await accounts.byUsername(username)) ?? (await server.account(username));
      for (const feature of lost) await accounts.setFeature(username, feature, false);
      assert.is(
        (await server.ask(path, { token: await server.token(await accounts.get(account.username)) })).status,
        status,
        `${path} ${username}`,
      );
    }
  }
});

test('unknown folders, files and links are 404; paths outside are refused', async () => {
  const bob = await server.user('bob');
  mkdirSync(join(bob.account.filesRoot, 'bobs'), { recursive: true });
  mkdirSync(join(ann.account.filesRoot, 'site'));
  writeFileSync(join(ann.account.filesRoot, 'file'), 'x');
  for (const [name, target] of [
    ['link', '/etc'],
    ['up', '..'],
    ['same', 'site'],
    ['site/link', '/etc'],
  ] as const)
    symlinkSync(target, join(ann.account.filesRoot, name));
  for (const folder of [
    'nothing',
    'file',
    'file/x',
    'bobs',
    'link',
    'link/ssl',
    'up',
    'up/bob',
    'same',
    'site/link',
    ...LITERAL,
  ])
    assert.equal([(await size(folder)).status, (await size(folder)).body.error], [404, 'folder_not_found'], folder);
  for (const folder of OUTSIDE.filter((path) => path.length < 1000))
    assert.equal([(await size(folder)).status, (await size(folder)).body.error], [400, 'invalid_path'], folder);
  assert.is((await server.ask('/api/directory-size?folder=a&folder=b', { token: ann.token })).status, 400);
});

test('sizes equal those of du: hard links once, no holes, no links followed', async () => {
  const root = join(ann.account.filesRoot, 'tree');
  const sizes: Record<string, number> = { empty: 0, tiny: 1, block: 4096, some: 123_456, large: 3_500_000 };
  for (const folder of ['', 'a', 'a/b', 'new\nline', 'c/'.repeat(120), 'none']) {
    mkdirSync(join(root, folder), { recursive: true });
    if (folder !== 'none')
      for (const [name, bytes] of Object.entries(sizes))
        writeFileSync(join(root, folder, name), Buffer.alloc(bytes, 1));
  }
  mkdirSync(Buffer.concat([Buffer.from(join(root, 'a/')), Buffer.from([0xff])]));
  for (let i = 0; i < 20; i += 1) linkSync(join(root, 'large'), join(root, i % 2 === 0 ? 'a' : 'a/b', `hard-${i}`));
  writeFileSync(join(root, 'holes'), 'x');
  truncateSync(join(root, 'holes'), 2 ** 33);
  symlinkSync('/usr', join(root, 'a/outside'));
  symlinkSync('.', join(root, 'a/loop'));
  execFileSync('mkfifo', ['--', join(root, 'pipe')]);
  execFileSync('sync', ['-f', root]);
  for (const folder of ['', 'tree', 'tree/a', 'tree/a/b', 'tree/none', `tree/${'c/'.repeat(100)}`]) {
    const expected = duOf(join(ann.account.filesRoot, folder), '-h');
    for (const path of [folder, `/var/www/html/${folder}`])
      assert.equal((await size(path)).body, { size: expected }, path);
  }
  assert.equal((await server.ask('/api/directory-size', { token: ann.token })).body, {
    size: duOf(ann.account.filesRoot, '-h'),
  });
});

test('the folders of a folder are measured, except for those that no path can name', async () => {
  const { account, token } = await server.user('lea');
  const largest = (folder: string, of = token) =>
    server.ask<LargestFolders & { error?: string }>(`/api/largest-folders?folder=${encodeURIComponent(folder)}`, {
      token: of,
    });
  const { measured_at: measuredAt, ...none } = (await largest('')).body;
  assert.ok(Math.abs(Date.parse(measuredAt) - Date.now()) < 60_000);
  assert.equal(none, {
    root: '/var/www/html',
    path: '/var/www/html',
    stale: false,
    bytes: 0,
    inodes: 0,
    folders: [],
  });
  const root = account.filesRoot;
  for (const folder of ['large/deep', 'many', 'new\nline', '.hostkeep/trash', 'link to'])
    mkdirSync(join(root, 'site', folder), { recursive: true });
  mkdirSync(join(root, '.hostkeep'));
  mkdirSync(Buffer.concat([Buffer.from(join(root, 'site/')), Buffer.from([0xff])]));
  symlinkSync('/usr', join(root, 'site/link'));
  writeFileSync(join(root, 'site/large/deep/file'), Buffer.alloc(1 << 20, 1));
  for (let i = 0; i < 30; i += 1) writeFileSync(join(root, `site/many/${i}`), '');
  for (const folder of ['none', 'site/link', ...LITERAL]) {
    const { status, body } = await largest(folder);
    assert.equal([status, body.error], [404, 'folder_not_found'], folder);
  }
  for (const folder of OUTSIDE.filter((path) => path.length < 1000))
    assert.is((await largest(folder)).status, 400, folder);
  assert.is(
    (await largest('/var/www/html/site', ann.token)).body.folders?.some(({ name }) => name === 'large') ?? false,
    false,
  );

  execFileSync('sync', ['-f', root]);
  const { body } = await largest('/var/www/html/site');
  const measured = (path: string) =>
    [['--block-size=1'], ['--inodes']].map((how) => Number(duOf(join(root, 'site', path), ...how)));
  assert.equal([body.bytes, body.inodes], measured(''));
  assert.equal(
    body.folders.map(({ name, path, bytes, inodes }) => [name, path, bytes, inodes]).toSorted(),
    ['.hostkeep', 'large', 'link to', 'many'].map((name) => [name, `/var/www/html/site/${name}`, ...measured(name)]),
  );
  assert.equal(
    (await largest('')).body.folders.map(({ name }) => name),
    ['site'],
    'the trash is nobody’s folder',
  );
});

test('what is mounted in a folder is not counted', async () => {
  const mount = join(ann.account.filesRoot, 'mounted/there');
  mkdirSync(mount, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'hostkeep-test', mount], { stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (error) {
    return reportSkipped(`nothing can be mounted here (${errorMessage(error).split('\n')[0]})`);
  }
  try {
    writeFileSync(join(mount, 'large'), Buffer.alloc(1 << 20, 1));
    assert.equal((await size('mounted')).body, { size: duOf(join(mount, '..'), '-h', '-x') });
    assert.is.not(duOf(join(mount, '..'), '-h', '-x'), duOf(join(mount, '..'), '-h'));
  } finally {
    execFileSync('umount', [mount]);
  }
});

test('an account without files uses nothing, and its plan says what it may', async () => {
  const { token } = await server.user('fresh', 'basic');
  assert.equal((await size('', token)).body, { size: '0' });
  assert.is((await size('x', token)).status, 404);
  const { body } = await server.ask<DiskInodes>('/api/disk_inodes', { token });
  assert.match(body.date, /^\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d$/);
  assert.equal(
    { ...body, date: '', measured_at: '' },
    {
      date: '',
      measured_at: '',
      disk_hard: 5120 * 1024,
      disk_soft: 5120 * 1024,
      disk_used: 0,
      inodes_hard: 100_000,
      inodes_soft: 100_000,
      inodes_used: 0,
    },
  );
});

test("measured usage is what du counts, kept for a while, and each account's own", async () => {
  const dora = await server.user('dora');
  mkdirSync(join(dora.account.filesRoot, 'x'), { recursive: true });
  writeFileSync(join(dora.account.filesRoot, 'x/data'), Buffer.alloc(100_000, 1));
  linkSync(join(dora.account.filesRoot, 'x/data'), join(dora.account.filesRoot, 'hard'));
  execFileSync('sync', ['-f', dora.account.filesRoot]);
  const ask = async (token: string) => (await server.ask<DiskInodes>('/api/disk_inodes', { token })).body;
  const first = await ask(dora.token);
  assert.is(first.disk_used, Number(duOf(dora.account.filesRoot, '-k')));
  assert.is(first.inodes_used, 3);
  mkdirSync(join(dora.account.filesRoot, 'more'));
  assert.equal(await ask(dora.token), first);
  assert.is.not((await ask(ann.token)).inodes_used, first.inodes_used);
});

test('a client that goes away ends the walk, and the next one begins a new one', async () => {
  const { command, started } = endlessDu();
  const other = await start({ du: command });
  const { account, token } = await other.user('ann');
  mkdirSync(account.filesRoot, { recursive: true });
  for (let round = 0; round < 2; round += 1) {
    const client = new AbortController();
    const answer = fetch(`${other.hostkeep.url('user')}/api/directory-size`, {
      headers: { authorization: `Bearer ${token}` },
      signal: client.signal,
    }).catch((error: Error) => error.name);
    const { ended } = await started();
    client.abort();
    await ended;
    assert.is(await answer, 'AbortError');
  }
});

test('a walk that takes too long is ended, and said to be', async () => {
  const { command, started } = endlessDu();
  const other = await start({ du: command, walk_seconds: 5 }); // in which it says that it started, also on a busy machine
  const { account, token } = await other.user('ann');
  mkdirSync(account.filesRoot, { recursive: true });
  const answer = other.ask('/api/directory-size', { token });
  await (
    await started()
  ).ended;
  const { status, body, headers } = await answer;
  assert.equal([status, body['error'], headers.get('retry-after')], [503, 'overloaded', '60']);
});

test('a hundred concurrent requests cause one walk', async () => {
  const { command, release, calls } = patientDu();
  const sizes = new FolderSizes({
    jobs: server.hostkeep.core.jobs,
    log: createLog('silent'),
    walks: 2,
    command,
    timeoutMs: 60_000,
  });
  const clients = Array.from({ length: 99 }, () => new AbortController());
  const waiting = clients.map(({ signal }) => sizes.bytes(ann.account, ['site'], signal));
  const last = sizes.bytes(ann.account, ['site'], never());
  for (const client of clients) client.abort();
  await release();
  assert.is(await last, 4096);
  assert.equal([...new Set(await Promise.all(waiting))], [4096]);
  assert.is(calls(), 1);
  const again = sizes.bytes(ann.account, ['site'], never());
  await release();
  assert.is(await again, 4096);
  assert.is(calls(), 2, 'nothing is kept');
  await sizes.close();
});

test('what takes long to measure is answered with the figures of before meanwhile', async () => {
  const { core } = server.hostkeep;
  const host = { local: core.local, identity: core, log: createLog('silent') };
  const { command, release, calls } = patientDu('\\0');
  mkdirSync(join(ann.account.filesRoot, 'slow'));
  let walks = 0;
  const sizes = new FolderSizes({ ...host, jobs: core.jobs, walks: 2, command, timeoutMs: 60_000 });
  const slow = new LatestLargest(host, sizes, 0);
  const kept = () => readLargest(core.local, ann.account.id, 'slow');
  const bothWalks = async () => {
    for (const unit of ['bytes', 'names']) {
      walks += 1;
      await until(`du counts ${unit}`, () => calls() === walks);
      await release();
    }
  };
  const first = slow.of(ann.account, ['slow'], never());
  await bothWalks();
  const { at, ...measured } = await first;
  assert.equal(measured, { total: { bytes: 4096, inodes: 4096 }, folders: [], isOld: false });
  const client = new AbortController();
  assert.equal(await slow.of(ann.account, ['slow'], client.signal), { ...measured, at, isOld: true });
  client.abort();
  await bothWalks();
  await until('the new figures are kept, which nobody waited for', async () => ((await kept())?.at ?? 0) > at);
  const quick = new LatestLargest(host, sizes, 60_000).of(ann.account, ['slow'], never());
  await bothWalks();
  assert.equal([(await quick).isOld, await kept()], [false, undefined], 'what is measured quickly is not kept');
  for (let i = 0; i <= 50; i += 1) await keepLargest(host, ann.account, `f${i}`, { ...measured, at: i });
  const rows = await core.local.all('select path from quota_largest where account_id = ?', ann.account.id);
  assert.equal([rows.length, await readLargest(core.local, ann.account.id, 'f0')], [50, undefined]);
  await sizes.close();
});

test('an account has one walk at a time, the server a set number', async () => {
  const { command, started } = endlessDu();
  const sizes = new FolderSizes({
    jobs: server.hostkeep.core.jobs,
    log: createLog('silent'),
    walks: 2,
    command,
    timeoutMs: 60_000,
  });
  const folders = Array.from({ length: 40 }, (_, i) => `f${i}`);
  for (const name of folders) mkdirSync(join(ann.account.filesRoot, name));
  const answers = folders.map((name) =>
    sizes.bytes(ann.account, [name], never()).then(
      () => 'measured',
      (error: unknown) => (error instanceof HttpError ? error.code : 'ended'),
    ),
  );
  const { ended } = await started();
  const states = () =>
    Object.fromEntries(
      sizes
        .metrics()
        .flatMap(({ samples }) => samples)
        .map(({ labels, value }) => [labels?.['state'] ?? 'total', value]),
    );
  assert.equal(states(), { total: 0, running: 1, waiting: 32 });
  await sizes.close();
  await ended;
  const codes = await Promise.all(answers);
  assert.equal(
    [codes.filter((code) => code === 'overloaded').length, codes.filter((code) => code === 'ended').length],
    [7, 33],
  );
});

test("a missing or unsuitable du is the server's fault, and doctor says so", async () => {
  for (const du of ['/nowhere/du', 'false']) {
    const other = await start({ du });
    const { account, token } = await other.user('ann');
    mkdirSync(account.filesRoot, { recursive: true });
    const { status, body, headers } = await other.ask('/api/directory-size', { token });
    assert.equal([status, body['error'], headers.get('retry-after')], [503, 'files_unavailable', '30'], du);
    const findings = (await other.hostkeep.plugins.gather('doctor')).find(({ plugin }) => plugin === 'quota');
    assert.is(findings?.ok && findings.value[0]?.ok, false);
  }
  const findings = (await server.hostkeep.plugins.gather('doctor')).find(({ plugin }) => plugin === 'quota');
  assert.ok(findings?.ok && findings.value[0]?.ok && findings.value[0].detail.includes('GNU coreutils'));
  assert.is(findings.value[1]?.ok, false, '/proc has no quotas');
});

test('du is run again when it aborts, as it may when folders are moved during its walk', async () => {
  for (const [aborts, expected] of [
    [2, 200],
    [3, 503],
  ] as const) {
    const folder = temporaryFolder();
    const [command, calls] = [join(folder, 'du'), join(folder, 'calls')];
    writeFileSync(
      command,
      `#!/bin/sh\necho call >> '${calls}'\n[ "$(wc -l < '${calls}')" -gt ${aborts} ] && printf '4096\\t.\\n' && exit 1\nkill -ABRT $$\n`,
      { mode: 0o755 },
    );
    const other = await start({ du: command });
    const { account, token } = await other.user('ann');
    mkdirSync(account.filesRoot, { recursive: true });
    assert.is((await other.ask('/api/directory-size', { token })).status, expected);
    assert.is(readFileSync(calls, 'utf8'), 'call\n'.repeat(3));
  }
});

// threat path-prefix: a link swapped in during a measurement gains nothing
test('a thread that swaps folders for links meanwhile gets nothing else measured', async () => {
  const { filesRoot } = ann.account;
  mkdirSync(join(filesRoot, 'raced/place/inner'), { recursive: true });
  const [whole, place, inner] = ['raced', 'raced/place', 'raced/place/inner'].map((path) =>
    duOf(join(filesRoot, path), '-h'),
  );
  assert.is.not(duOf('/usr/share', '-h'), whole);
  const before = readdirSync('/proc/self/fd').length;
  const swapper = new Swapper(join(filesRoot, 'raced/place'), '/usr/share');
  try {
    for (let asked = 0; swapper.swaps < 5000 || asked < 50; asked += 1) {
      const answers = await Promise.all(['raced', 'raced/place', 'raced/place/inner'].map((path) => size(path)));
      // The folder itself is always there, what is below may be missed; and du gives up at times when what it is in is moved.
      assert.ok(
        answers[0]?.status === 503 || [whole, place, inner].includes(answers[0]?.body.size),
        JSON.stringify(answers[0]?.body),
      );
      for (const [i, expected] of [
        [1, place],
        [2, inner],
      ] as const)
        assert.ok(
          [404, 503].includes(answers[i]?.status ?? 0) || answers[i]?.body.size === expected,
          JSON.stringify(answers[i]?.body),
        );
    }
  } finally {
    await swapper.stop();
  }
  await until('descriptors are closed', () => readdirSync('/proc/self/fd').length <= before + 10);
});
