import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { testSuite } from '../../../support/suite.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { BackupClient, hasRestic, SETTINGS, type Body } from '../backup-client.ts';

const test = testSuite('backups');
const outside = temporaryFolder();
let server: TestServer;
let ann: BackupClient;
let bob: BackupClient;
let first = '';
test.before(async () => {
  server = await TestServer.start({ config: SETTINGS });
  [ann, bob] = [await BackupClient.make(server, 'anna'), await BackupClient.make(server, 'bob')];
});

const here = (path: string) => join(ann.account.filesRoot, path);
const repository = (path = '') => join(server.data, 'backups', String(ann.account.id), path);
const own = (...paths: string[]) => {
  const { uid, gid } = statSync(ann.account.filesRoot);
  execFileSync('chown', ['-hR', `${uid}:${gid}`, '--', ...paths.map(here)]);
};
const left = () => (existsSync(here('.hostkeep/work')) ? readdirSync(here('.hostkeep/work')) : []);

if (hasRestic) {
  test('an account without files has nothing to back up', async () => {
    const { state, error } = await bob.done('POST', '');
    assert.equal([state, error, await bob.list()], ['failed', 'nothing_to_back_up', []]);
  });

  test('files of all kinds are backed up', async () => {
    mkdirSync(here('site/deep [1]*'), { recursive: true });
    writeFileSync(here('site/index.html'), 'the first version');
    writeFileSync(here('site/deep [1]*/large'), Buffer.alloc(3 << 20, 'x1y2'));
    chmodSync(here('site/deep [1]*/large'), 0o640);
    symlinkSync('/etc/passwd', here('site/link'));
    writeFileSync(Buffer.concat([Buffer.from(here('site/')), Buffer.from([0xff])]), 'no UTF-8');
    writeFileSync(here('--option'), 'a name like an option');
    mkdirSync(here('.hostkeep/trash'), { recursive: true });
    writeFileSync(here('.hostkeep/trash/old'), 'is not backed up');
    own('.');
    first = await ann.made();
    const [backup] = await ann.list();
    assert.equal(
      ['files', 'size_bytes', 'left_out', 'is_scheduled'].map((name) => backup?.[name]),
      [4, (3 << 20) + 46, 0, false],
    );
    const { repository_bytes: bytes, kept_limit: kept } = (await ann.ask('GET', '')).body;
    assert.ok(Number(bytes) > 1000 && Number(bytes) < 1 << 20, `${String(bytes)} bytes`);
    assert.is(kept, 14);
  });

  test('a backup is listed folder by folder, page by page', async () => {
    const entries = async (query: string): Promise<Body & { names: string[]; entries: Body[] }> => {
      const { status, body } = await ann.ask<Body & { entries: Body[] }>('GET', `/${first}/files${query}`);
      assert.is(status, 200, JSON.stringify(body));
      return { ...body, names: body.entries.map(({ name, kind }) => `${String(kind)} ${String(name)}`) };
    };
    const root = await entries('');
    assert.equal([root.names, root['path'], root['total']], [['folder site', 'file --option'], '/var/www/html', 2]);
    const page = await entries('?path=site&limit=2');
    assert.equal([page.names, page['total'], page['next_cursor']], [['folder deep [1]*', 'file index.html'], 3, '2']);
    assert.equal((await entries('?path=site&limit=2&cursor=2')).names, ['link link']);
    const [large] = (await entries(`?path=${encodeURIComponent('/var/www/html/site/deep [1]*')}`)).entries;
    assert.equal([large?.['size_bytes'], large?.['mode']], [3 << 20, '0640']);
    for (const path of ['nothing', 'site/index.html', 'site/link'])
      assert.is((await ann.ask('GET', `/${first}/files?path=${path}`)).body['error'], 'folder_not_found');
    for (const path of ['../bob', '/etc', '.hostkeep/trash', 'a%0Ab'])
      assert.is((await ann.ask('GET', `/${first}/files?path=${path}`)).body['error'], 'invalid_path');
  });

  test('one file is downloaded, and nothing else', async () => {
    const { status, headers, body } = await ann.ask<string>('GET', `/${first}/content?path=site/index.html`);
    assert.equal(
      [status, body, headers.get('content-length'), headers.get('content-security-policy')],
      [200, 'the first version', '17', "default-src 'none'; sandbox"],
    );
    const large = await ann.ask<string>('GET', `/${first}/content?path=${encodeURIComponent('site/deep [1]*/large')}`);
    assert.equal([large.status, large.body.length], [200, 3 << 20]);
    for (const path of ['nothing', 'site', 'site/link'])
      assert.is((await ann.ask('GET', `/${first}/content?path=${path}`)).body['error'], 'file_not_found');
    assert.is((await ann.ask('GET', `/${first}/content?path=`)).body['error'], 'invalid_path');
  });

  // threat other-accounts: a backup is found by its account only
  test("another account's backup is none", async () => {
    for (const [method, path, body] of [
      ['GET', '/files'],
      ['GET', '/content?path=site/index.html'],
      ['POST', '/restore', { path: '' }],
      ['DELETE', ''],
    ] as const)
      assert.is((await bob.ask(method, `/${first}${path}`, body)).body['error'], 'backup_not_found');
    const { tasks } = (await ann.ask<{ tasks: Body[] }>('GET', '/api/backup-tasks')).body;
    for (const method of ['GET', 'DELETE'])
      assert.is(
        (await bob.ask(method, `/api/backup-tasks/${String(tasks[0]?.['id'])}`)).body['error'],
        'task_not_found',
      );
    assert.is((await bob.ask('GET', `/${'0'.repeat(64)}/files`)).body['error'], 'backup_not_found');
  });

  test('a repository is out of the reach of its account', () => {
    assert.is(statSync(join(server.data, 'backups')).mode & 0o777, 0o700);
    assert.ok(statSync(repository()).uid !== statSync(ann.account.filesRoot).uid);
    assert.equal(readdirSync(repository('locks')), []);
  });

  test('a file, a folder and all are restored beside and in place', async () => {
    writeFileSync(here('site/index.html'), 'broken');
    writeFileSync(here('site/new'), 'made later');
    rmSync(here('site/deep [1]*'), { recursive: true });
    const beside = await ann.done('POST', `/${first}/restore`, { path: 'site/index.html', to: 'old.html' });
    assert.equal([beside['state'], beside['path']], ['done', '/var/www/html/site/index.html']);
    assert.equal(
      ['old.html', 'site/index.html'].map((path) => readFileSync(here(path), 'utf8')),
      ['the first version', 'broken'],
    );
    assert.is((await ann.done('POST', `/${first}/restore`, { path: 'site', to: 'old.html' }))['error'], 'file_exists');
    assert.is(
      (await ann.done('POST', `/${first}/restore`, { path: 'site', to: 'no/old' }))['error'],
      'folder_not_found',
    );
    assert.is((await ann.done('POST', `/${first}/restore`, { path: 'nothing' }))['error'], 'file_not_found');
    const { state, files } = await ann.done('POST', `/${first}/restore`, { path: 'site/deep [1]*' });
    assert.equal([state, files, existsSync(here('site/deep'))], ['done', 2, false]);
    assert.is(statSync(here('site/deep [1]*/large')).mode & 0o777, 0o640);
    assert.is(statSync(here('site/deep [1]*/large')).uid, statSync(ann.account.filesRoot).uid);
    assert.is(readFileSync(here('site/index.html'), 'utf8'), 'broken', 'only what was asked for is restored');
    execFileSync('find', [ann.account.filesRoot, '-mindepth', '1', '-delete']);
    assert.is((await ann.done('POST', `/${first}/restore`, {}))['state'], 'done');
    assert.equal(
      [readFileSync(here('site/index.html'), 'utf8'), readlinkSync(here('site/link')), existsSync(here('site/new'))],
      ['the first version', '/etc/passwd', false],
    );
    assert.is((await ann.done('POST', `/${first}/restore`, { to: 'before' }))['state'], 'done');
    assert.equal(readdirSync(here('before')).toSorted(), ['--option', 'site']);
    assert.equal(left(), []);
  });

  // threat path-prefix: a link in the way of what is restored is not followed
  test('a link in the way is replaced, and never followed', async () => {
    writeFileSync(join(outside, 'index.html'), 'outside');
    rmSync(here('site'), { recursive: true });
    symlinkSync(outside, here('site'));
    assert.is((await ann.done('POST', `/${first}/restore`, { path: 'site' }))['state'], 'done');
    assert.ok(lstatSync(here('site')).isDirectory());
    rmSync(here('site/index.html'));
    symlinkSync(join(outside, 'index.html'), here('site/index.html'));
    assert.is((await ann.done('POST', `/${first}/restore`, { path: 'site/index.html' }))['state'], 'done');
    assert.is(lstatSync(here('site/index.html')).isSymbolicLink(), false);
    rmSync(here('site'), { recursive: true });
    symlinkSync(outside, here('site'));
    const inside = await ann.done('POST', `/${first}/restore`, { path: 'site/index.html' });
    assert.equal([inside['state'], inside['error']], ['failed', 'folder_not_found']);
    assert.equal(
      [readFileSync(join(outside, 'index.html'), 'utf8'), readdirSync(outside)],
      ['outside', ['index.html']],
    );
    rmSync(here('.hostkeep'), { recursive: true });
    symlinkSync(outside, here('.hostkeep'));
    assert.is((await ann.done('POST', `/${first}/restore`, { path: 'site' }))['state'], 'failed');
    assert.equal(readdirSync(outside), ['index.html']);
    rmSync(here('.hostkeep'));
    rmSync(here('site'));
    assert.is((await ann.done('POST', `/${first}/restore`, { path: 'site' }))['state'], 'done');
  });

  test('what is unreadable is left out and counted', async () => {
    writeFileSync(here('closed'), 'of somebody else', { mode: 0o600 });
    const { state, left_out: leftOut } = await ann.done('POST', '');
    assert.equal([state, leftOut], ['done', 1]);
    rmSync(here('closed'));
  });

  test('the oldest go beyond what is kept, and one is removed for good', async () => {
    assert.is((await ann.ask('PATCH', '/api/backup-schedule', { kept: 2 })).status, 200);
    const second = String((await ann.list())[0]?.['id']);
    const third = await ann.made();
    assert.equal(
      (await ann.list()).map(({ id }) => id),
      [third, second],
    );
    assert.equal(await ann.snapshots(), [second, third].toSorted());
    assert.is((await ann.done('DELETE', `/${second}`))['state'], 'done');
    assert.equal(await ann.snapshots(), [third]);
    assert.is((await ann.ask('DELETE', `/${second}`)).body['error'], 'backup_not_found');
    first = third;
  });

  test('a backup that the plan has no room for fails, and leaves the others', async () => {
    const { plans } = server.hostkeep.core;
    const bytes = Number((await ann.ask('GET', '')).body['repository_bytes']);
    execFileSync('sh', ['-c', 'head -c 40000000 /dev/urandom > "$0"', here('random')]);
    own('random');
    const before = (await plans.get('developer')).limits;
    await plans.update('developer', { limits: { ...before, backups_limit_mib: 20 } });
    const { state, error } = await ann.done('POST', '');
    assert.equal([state, error, (await ann.list()).length], ['failed', 'backups_full', 1]);
    const after = Number((await ann.ask('GET', '')).body['repository_bytes']);
    assert.ok(after < bytes + 100_000, 'what it had added is gone');
    await plans.update('developer', { limits: before });
    rmSync(here('random'));
  });

  test('a backup is canceled, and the next one is complete', async () => {
    execFileSync('sh', ['-c', 'head -c 200000000 /dev/urandom > "$0"', here('random')]);
    own('random');
    const { body } = await ann.ask('POST', '');
    const { body: canceled } = await ann.ask('DELETE', `/api/backup-tasks/${String(body['id'])}`);
    assert.is(canceled['state'], 'canceled');
    rmSync(here('random'));
    assert.equal((await ann.list()).length, 1);
    await ann.made();
  });

  test('a snapshot that no list has does not count, and one that is gone is lost', async () => {
    const stray = 'a'.repeat(64);
    const [newest] = await ann.list();
    const at = repository(`snapshots/${String(newest?.['id'])}`);
    writeFileSync(repository(`snapshots/${stray}`), 'left by a killed run');
    writeFileSync(repository('locks/left'), '');
    renameSync(at, `${outside}/snapshot`);
    assert.is((await ann.ask('GET', `/${String(newest?.['id'])}/files`)).body['error'], 'backup_unreadable');
    await ann.made();
    assert.is(readdirSync(repository('snapshots')).includes(stray), false);
    assert.is(
      (await ann.list()).some(({ id }) => id === newest?.['id']),
      false,
    );
  });

  test('a damaged repository is said to be so, and never made anew', async () => {
    const [newest] = await ann.list();
    const id = String(newest?.['id']);
    rmSync(repository('index'), { recursive: true });
    mkdirSync(repository('index'));
    assert.is((await ann.ask('GET', `/${id}/files?path=site`)).body['error'], 'backup_unreadable');
    assert.is((await ann.done('POST', `/${id}/restore`, { path: 'site' }))['error'], 'backup_unreadable');
    renameSync(repository('config'), join(outside, 'config'));
    assert.is((await ann.ask('GET', `/${id}/files`)).body['error'], 'backup_unreadable');
    assert.is((await ann.done('POST', ''))['error'], 'backups_unavailable');
    assert.is(existsSync(repository('keys')), true);
    renameSync(repository(), join(outside, 'repository'));
    assert.is((await ann.ask('GET', `/${id}/files`)).body['error'], 'backup_unreadable');
    assert.is((await ann.done('POST', ''))['error'], 'backups_unavailable');
    const findings = await server.hostkeep.plugins.gather('doctor');
    assert.match(JSON.stringify(findings), /gone, with the backups of so many accounts: 1"/);
    renameSync(join(outside, 'config'), join(outside, 'repository/config'));
    renameSync(join(outside, 'repository'), repository());
    assert.is(existsSync(repository(`snapshots/${id}`)), true, 'what was away is there again');
    rmSync(repository(), { recursive: true });
    for (const each of await ann.list()) await ann.done('DELETE', `/${String(each['id'])}`);
    const made = await ann.made();
    assert.equal(
      (await ann.list()).map((each) => each['id']),
      [made],
    );
  });

  test('the repository of a removed account is removed', async () => {
    const { id, username, filesRoot } = ann.account;
    const removed = { id, username, filesRoot, removedAt: Date.now(), home: '' };
    const purge = async () => {
      const parts = await server.hostkeep.plugins.gather('purge', removed, new AbortController().signal);
      return parts.flatMap((part) => (part.plugin === 'backups' && part.ok ? part.value : []));
    };
    assert.equal(await purge(), [{ what: 'repositories of backups', removed: 1 }]);
    assert.is(existsSync(repository()), false);
    assert.equal(await purge(), [{ what: 'repositories of backups', removed: 0 }]);
  });
}
