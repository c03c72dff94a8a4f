import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { eventSource } from '../../support/event-source.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { eventually } from '../../support/until.ts';

const test = testSuite('files: tasks');
let server: TestServer;
let ann: { account: Account; token: string };
let bob: { account: Account; token: string };
test.before(async () => {
  server = await TestServer.start({ config: { files: { task_mib: 8192 } } });
  [ann, bob] = [await server.user('anna'), await server.user('bob')];
  mkdirSync(ann.account.filesRoot, { recursive: true });
});

type Body = Readonly<Record<string, unknown>>;
const ask = async (method: string, path: string, body?: unknown, token = ann.token, at = server) =>
  at.ask<Body>(path, { method, token, ...(body !== undefined && { body }) });
const here = (path: string) => join(ann.account.filesRoot, path);
const ended = (id: unknown, token = ann.token, at = server) =>
  eventually(
    'the task has ended',
    async () => (await ask('GET', `/api/files/tasks/${String(id)}`, undefined, token, at)).body,
    ({ state }) => state !== 'running',
  );
/** Begins a task and resolves with what became of it. */
const done = async (path: string, body: unknown): Promise<Body> => {
  const begun = await ask('POST', path, body);
  assert.is(begun.status, 202, JSON.stringify(begun.body));
  return ended(begun.body['id']);
};
const copy = (from: string, to: string) => done('/api/files/copy', { from, to });
const work = () => readdirSync(here('.hostkeep/work'));

test('a task that permissions refuse says so', async () => {
  const { account, token } = await server.user('cleo');
  const own = (path: string) => join(account.filesRoot, path);
  mkdirSync(own('site/closed'), { recursive: true });
  writeFileSync(own('site/shut'), 'mine');
  // root may read everything, and the process of an account has the id of its folder
  if (process.getuid?.() === 0)
    for (const path of ['', 'site', 'site/closed', 'site/shut']) chownSync(own(path), 70_002, 70_002);
  for (const path of ['shut', 'closed']) {
    chmodSync(own(`site/${path}`), 0o000);
    const { body } = await ask('POST', '/api/files/copy', { from: 'site', to: 'other' }, token);
    const { state, error } = await ended(body['id'], token);
    assert.equal([state, error], ['failed', 'permission_denied'], path);
    chmodSync(own(`site/${path}`), 0o700);
  }
  chmodSync(own('site/closed'), 0o000);
  const { body } = await ask('POST', '/api/files/copy', { from: 'site/closed/in', to: 'other' }, token);
  assert.is((await ended(body['id'], token))['error'], 'permission_denied');
  assert.is(existsSync(own('other')), false);
});

test('a copy is refused where it leads nowhere, and never takes the place of anything', async () => {
  writeFileSync(here('one.txt'), 'one');
  for (const path of ['../bob', '/etc/passwd', '.hostkeep/trash', 'a\nb', ''])
    for (const body of [
      { from: path, to: 'new' },
      { from: 'one.txt', to: path },
    ])
      assert.is((await ask('POST', '/api/files/copy', body)).body['error'], 'invalid_path', JSON.stringify(body));
  writeFileSync(here('two.txt'), 'two');
  assert.is((await copy('one.txt', 'two.txt'))['error'], 'file_exists');
  assert.is((await copy('nothing', 'new'))['error'], 'file_not_found');
  assert.is((await copy('one.txt', 'nowhere/new'))['error'], 'folder_not_found');
  assert.is(readFileSync(here('two.txt'), 'utf8'), 'two');
  assert.equal(work(), []);
});

test('a folder is copied with all that is in it, also into itself', async () => {
  mkdirSync(here('site/deep'), { recursive: true });
  writeFileSync(here('site/deep/page.html'), 'x'.repeat(3 << 20));
  chmodSync(here('site/deep/page.html'), 0o640);
  chmodSync(here('site/deep'), 0o711);
  symlinkSync('/etc/passwd', here('site/link'));
  execFileSync('mkfifo', ['--', here('site/pipe')]);
  writeFileSync(Buffer.concat([Buffer.from(here('site/')), Buffer.from([0xff, 0xfe])]), 'no UTF-8');
  const { state, files, size_bytes: size, left_out: leftOut, path, kind } = await copy('site', 'site/copy');
  assert.equal(
    { state, files, size, leftOut, path, kind },
    { state: 'done', files: 5, size: (3 << 20) + 8, leftOut: 1, path: '/var/www/html/site/copy', kind: 'copy' },
  );
  assert.is(readFileSync(here('site/copy/deep/page.html')).length, 3 << 20);
  assert.equal(
    ['site/copy/deep/page.html', 'site/copy/deep'].map((each) => statSync(here(each)).mode & 0o777),
    [0o640, 0o711],
  );
  assert.is(readlinkSync(here('site/copy/link')), '/etc/passwd', 'a link is not followed');
  assert.equal(
    readdirSync(here('site/copy'), 'buffer')
      .map((name) => name.toString('latin1'))
      .toSorted(),
    ['deep', 'link', 'ÿþ'],
  );
  assert.equal(work(), []);
  const { size_bytes: one } = await copy('one.txt', 'three.txt');
  assert.equal([one, readFileSync(here('three.txt'), 'utf8')], [3, 'one']);
  assert.is((await copy('site/link', 'link'))['state'], 'done');
  assert.ok(lstatSync(here('link')).isSymbolicLink());
});

test('a copy beyond the bounds fails, and leaves nothing', async () => {
  const bounded = await TestServer.start({ config: { files: { task_names: 200, task_mib: 1 } } });
  const { account, token } = await bounded.user('dora');
  const root = account.filesRoot;
  mkdirSync(join(root, 'many'), { recursive: true });
  for (let i = 0; i < 201; i += 1) writeFileSync(join(root, `many/${i}`), '');
  let path = join(root, 'deep');
  for (let i = 0; i < 102; i += 1) mkdirSync((path = join(path, 'x')), { recursive: true });
  writeFileSync(join(root, 'large'), Buffer.alloc(2 ** 20 + 1));
  for (const from of ['many', 'deep', 'large']) {
    const { body } = await ask('POST', '/api/files/copy', { from, to: 'new' }, token, bounded);
    assert.is((await ended(body['id'], token, bounded))['error'], 'task_too_large', from);
    assert.equal([readdirSync(join(root, '.hostkeep/work')), existsSync(join(root, 'new'))], [[], false]);
  }
});

test('a task is canceled, and what it has made is gone', async () => {
  writeFileSync(here('sparse'), '');
  truncateSync(here('sparse'), 2 ** 33);
  const { body } = await ask('POST', '/api/files/copy', { from: 'sparse', to: 'whole' });
  await eventually(
    'it has begun',
    () => (existsSync(here('.hostkeep/work')) ? work() : []),
    (names) => names.length === 1,
  );
  const canceled = (await ask('DELETE', `/api/files/tasks/${String(body['id'])}`)).body;
  assert.equal(
    [canceled['state'], canceled['error'], work(), existsSync(here('whole'))],
    ['canceled', null, [], false],
  );
  assert.is((await ask('DELETE', `/api/files/tasks/${String(body['id'])}`)).body['state'], 'canceled');
});

test('tasks are seen by their account only, newest first', async () => {
  const { tasks } = (await ask('GET', '/api/files/tasks')).body as { tasks: Body[] };
  assert.equal([tasks[0]?.['state'], tasks.length > 5], ['canceled', true]);
  assert.equal((await ask('GET', '/api/files/tasks', undefined, bob.token)).body['tasks'], []);
  for (const method of ['GET', 'DELETE']) {
    const { status, body } = await ask(method, `/api/files/tasks/${String(tasks[0]?.['id'])}`, undefined, bob.token);
    assert.equal([status, body['error']], [404, 'task_not_found']);
  }
});

test('permissions are repaired, and what was closed to others stays closed', async () => {
  const modes = { 'mess/open': 0o777, 'mess/open/page.html': 0o666, 'mess/secret': 0o400, 'mess/run.sh': 0o775 };
  mkdirSync(here('mess/open/shut'), { recursive: true });
  mkdirSync(here('mess/fine'));
  mkdirSync(here('.hostkeep'), { recursive: true, mode: 0o700 });
  writeFileSync(here('mess/open/shut/in'), '');
  for (const [path, mode] of Object.entries(modes)) {
    if (path !== 'mess/open') writeFileSync(here(path), '');
    chmodSync(here(path), mode);
  }
  chmodSync(here('mess/open/shut/in'), 0o604);
  chmodSync(here('mess/open/shut'), 0);
  writeFileSync(here('beside'), '');
  chmodSync(here('beside'), 0o666);
  symlinkSync(here('beside'), here('mess/link'));
  const { state, files, path } = await done('/api/files/repair', { path: 'mess' });
  assert.equal([state, files, path], ['done', 6, '/var/www/html/mess']);
  const mode = (each: string) => (statSync(here(each)).mode & 0o7777).toString(8);
  assert.equal(
    [
      'mess/open',
      'mess/open/page.html',
      'mess/open/shut',
      'mess/open/shut/in',
      'mess/secret',
      'mess/run.sh',
      'beside',
    ].map(mode),
    ['755', '644', '755', '644', '600', '755', '666'],
  );
  assert.is((await done('/api/files/repair', { path: '' }))['state'], 'done');
  assert.equal([mode('.hostkeep'), mode('beside')], ['700', '644'], 'our own folder stays closed');
  assert.is((await done('/api/files/repair', { path: 'none' }))['error'], 'folder_not_found');
});

test('what root has put into a folder is given to its account, or that is said', async () => {
  writeFileSync(here('mess/new'), '', { mode: 0o640 });
  const { detail } = await done('/api/files/repair', { path: 'mess' });
  const reason =
    process.getuid?.() === 0 ? 'the folder of the account belongs to the user id 0' : 'this server has no right to';
  assert.match(String(detail), new RegExp(`^owners were not looked at: ${reason}`));
  if (process.getuid?.() !== 0) return;
  const { account, token } = await server.user('emil');
  const own = (path: string) => join(account.filesRoot, path);
  mkdirSync(own('site'), { recursive: true });
  const id = 200_000 + account.id;
  for (const path of ['', 'site']) chownSync(own(path), id, id);
  writeFileSync(own('site/page'), '', { mode: 0o644 });
  writeFileSync(own('site/shut'), '', { mode: 0o640 });
  execFileSync('mkfifo', ['--', own('site/pipe')]);
  const { body } = await ask('POST', '/api/files/repair', { path: '' }, token);
  const { state, files, left_out: leftOut, detail: told } = await ended(body['id'], token);
  assert.equal([state, files, leftOut, told], ['done', 3, 1, null], 'two owners, a mode, and a pipe');
  for (const path of ['page', 'shut']) {
    const { uid, mode } = statSync(own(`site/${path}`));
    assert.equal([uid, mode & 0o777], [id, 0o644]);
  }
});

test('forgotten work goes when the next task begins', async () => {
  mkdirSync(here('.hostkeep/work/forgotten/deep'), { recursive: true });
  utimesSync(here('.hostkeep/work/forgotten'), 1, 1);
  assert.is((await copy('one.txt', 'four.txt'))['state'], 'done');
  assert.equal(work(), []);
});

test('a task whose server stops leaves nothing but its failure', async () => {
  const [roots, data] = [temporaryFolder(), temporaryFolder()];
  const config = { files_root: join(roots, '{username}') };
  const first = await TestServer.start({ config, data });
  const { token } = await first.user('carl');
  mkdirSync(join(roots, 'carl'));
  writeFileSync(join(roots, 'carl/sparse'), '');
  truncateSync(join(roots, 'carl/sparse'), 2 ** 35);
  const body = { from: 'sparse', to: 'whole' };
  const begun = await first.ask<Body>('/api/files/copy', { method: 'POST', token, body });
  const made = () =>
    existsSync(join(roots, 'carl/.hostkeep/work')) ? readdirSync(join(roots, 'carl/.hostkeep/work')) : [];
  await eventually('it has begun', made, (names) => names.length === 1);
  await first.close();
  assert.equal([made(), existsSync(join(roots, 'carl/whole'))], [[], false]);
  const second = await TestServer.start({ config, data });
  const { body: task } = await second.ask<Body>(`/api/files/tasks/${String(begun.body['id'])}`, { token });
  assert.equal([task['state'], task['error']], ['failed', 'task_interrupted']);
});

test('the task of a server that was killed has an end once there is another', async () => {
  const data = temporaryFolder();
  const first = await TestServer.start({ data });
  const { account, token } = await first.user('dana');
  const sql = `insert into file_tasks (id, account_id, kind, path, process, state, created_at)
    values ('lost', ?, 'copy', '', ?, 'running', 1)`;
  await first.hostkeep.core.local.write((tx) => tx.run(sql, account.id, `${process.pid}:1`));
  await first.close();
  const second = await TestServer.start({ data });
  const ended = () =>
    second.hostkeep.core.local.get('select state, error from file_tasks where ended_at > ?', Date.now() - 60_000);
  assert.equal(await eventually('it has ended', ended, Boolean), { state: 'failed', error: 'task_interrupted' });
  const { body } = await second.ask<Body>('/api/files/tasks/lost', { token });
  assert.equal([body['state'], body['error']], ['failed', 'task_interrupted']);
});

test('an account follows its own tasks by a stream, and no more than five at a time', async () => {
  const open = (token: string) => eventSource(server, token, {}, '/api/files/tasks-stream', 'user');
  const { token } = await server.user('dora');
  const streams = await Promise.all([1, 2, 3, 4, 5].map(() => open(token)));
  const refused = await ask('GET', '/api/files/tasks-stream', undefined, token);
  assert.equal([refused.status, refused.body['error']], [503, 'overloaded']);
  assert.equal((await streams[0]?.next())?.data, { tasks: [] });
  writeFileSync(here('followed.txt'), 'followed');
  await copy('followed.txt', 'before.txt');
  const events = await open(ann.token);
  const told = async () => {
    const { event, data } = await events.next();
    assert.is(event, 'tasks');
    return data['tasks'] as Body[];
  };
  const before = await told();
  assert.equal(before, (await ask('GET', '/api/files/tasks')).body['tasks']);
  const { id } = await copy('followed.txt', 'followed-again.txt');
  let seen: Body[] = [];
  while (seen[0]?.['state'] !== 'done') {
    seen = await told();
    assert.equal(
      seen.map((task) => task['id']),
      [id],
      'only what has changed',
    );
  }
  await events.close();
  for (const stream of streams) await stream.close();
});
