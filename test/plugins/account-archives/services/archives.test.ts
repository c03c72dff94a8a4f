/** Accounts leave one installation as an archive, and come to another one. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { hostkeep, start } from '../../../support/command.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';

await needs('domains', 'quota');
const test = testSuite('archives of accounts');
const FILES = 'files.tar';
const MANIFEST = 'account.json';
let [old, fresh] = [] as unknown as [TestServer, TestServer];
let archive = '';

const run = (server: TestServer, ...args: readonly string[]) => hostkeep(server.data, ['account', ...args]);
const filesOf = (server: TestServer, name: string) => join(server.data, 'files', name);
const tar = (folder: string, ...args: readonly string[]) => execFileSync('tar', ['-C', folder, ...args]);
const lastLine = (stdout: string) => JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;

interface Told {
  account: Record<string, unknown>;
  parts: Record<string, unknown>;
  members: { name: string; size_bytes: number; sha256: string }[];
  [member: string]: unknown;
}

/** Returns the path of an archive like the first one, with other members, whose checksums fit unless `change` makes others. */
function changed(edit: (folder: string) => void, change: (told: Told) => void = () => undefined): string {
  const folder = temporaryFolder();
  tar(folder, '-xf', archive);
  edit(folder);
  const told = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')) as Told;
  for (const member of told.members) {
    const content = readFileSync(join(folder, member.name));
    Object.assign(member, {
      size_bytes: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
    });
  }
  change(told);
  writeFileSync(join(folder, MANIFEST), JSON.stringify(told));
  const target = join(temporaryFolder(), 'changed.tar');
  tar(folder, '--format=ustar', '-cf', target, ...told.members.map(({ name }) => name), MANIFEST);
  return target;
}

/** Returns the path of an archive whose files are what `tar` makes by these arguments in a folder that `make` has filled. */
function withFiles(make: (folder: string) => void, ...args: readonly string[]): string {
  const content = temporaryFolder();
  make(content);
  return changed((folder) => tar(content, '-cf', join(folder, FILES), ...args));
}

async function refused(server: TestServer, pattern: RegExp, ...args: readonly string[]): Promise<void> {
  const { code, stderr } = await run(server, ...args);
  assert.is(code, 1, stderr);
  assert.match(stderr, pattern, `${args.join(' ')}: ${stderr}`);
}

/** Makes files of all kinds that a customer can have. */
function fill(folder: string): void {
  mkdirSync(join(folder, 'site/sub'), { recursive: true });
  mkdirSync(join(folder, '.hostkeep/trash'), { recursive: true });
  writeFileSync(join(folder, '.hostkeep/trash/gone'), 'gone');
  writeFileSync(join(folder, 'site/index.html'), 'hello', { mode: 0o604 });
  utimesSync(join(folder, 'site/index.html'), 1_000_000_000, 1_000_000_000);
  chmodSync(join(folder, 'site/sub'), 0o750);
  linkSync(join(folder, 'site/index.html'), join(folder, 'site/sub/same.html'));
  symlinkSync('../index.html', join(folder, 'site/sub/link'));
  symlinkSync('/etc/passwd', join(folder, 'absolute'));
  writeFileSync(join(folder, 'odd "name"\n\\ä € -> b'), 'odd');
  writeFileSync(join(folder, '-rf'), 'dash');
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0xfe])]), 'no UTF-8');
  writeFileSync(join(folder, 'sparse'), '');
  truncateSync(join(folder, 'sparse'), 64 << 20);
  writeFileSync(join(folder, 'n'.repeat(255)), 'long');
  execFileSync('chown', ['-hR', `--reference=${folder}`, folder]);
}

test.before(async () => {
  [old, fresh] = [await TestServer.start(), await TestServer.start()];
  const { account, token } = await old.user('ann');
  await old.hostkeep.core.accounts.update('ann', { email: 'ann@example.com', locale: 'de' });
  await old.hostkeep.core.accounts.setFeature('ann', 'domains', true);
  await old.hostkeep.core.accounts.setFeature('ann', 'favorites', false);
  await old.admin('boss');
  await old.hostkeep.core.jobs.makeRoot(account);
  const send = async (method: string, path: string, body: object) =>
    assert.match(String((await old.ask(path, { token, method, body })).status), /^20/, path);
  const post = (path: string, body: object) => send('POST', path, body);
  await post('/api/domains/new', { domain_url: 'shop.example', docroot: 'site' });
  await post('/api/domains/new', { domain_url: 'blog.shop.example' });
  await post('/api/aliases', { domain_url: 'shop.example', alias: 'store.example' });
  await send('PUT', '/api/domains/blog.shop.example/suspended', { suspended: true });
  await send('PUT', '/api/domains/shop.example/shown-as', { shown_as: 'Shop.example' });
  await old.hostkeep.core.store.write((tx) => tx.run("update domains set held_at = 1 where name = 'shop.example'"));
  fill(filesOf(old, 'ann'));
});

test('an export that cannot be is refused, and leaves no file', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'a.tar');
  await refused(old, /no account nobody/, 'export', 'nobody', file);
  await refused(old, /boss is an administrator/, 'export', 'boss', file);
  await refused(old, /ENOENT/, 'export', 'ann', join(folder, 'none/a.tar'));
  assert.equal(readdirSync(folder), []);
  writeFileSync(file, 'kept');
  await refused(old, /already exists/, 'export', 'ann', file);
  assert.is(readFileSync(file, 'utf8'), 'kept');
});

test('an account becomes one file that is closed to others', async () => {
  archive = join(temporaryFolder(), 'ann.tar');
  const { code, stdout, stderr } = await run(old, 'export', 'ann', archive, '--json');
  assert.is(code, 0, `${stderr}${stdout}`);
  assert.is(statSync(archive).mode & 0o777, 0o600);
  const { size_bytes: size, missing } = lastLine(stdout);
  assert.equal([size, missing], [statSync(archive).size, []]);
  assert.ok(statSync(archive).size < 10 << 20, 'holes take no room');
  assert.equal(readdirSync(join(archive, '..')), ['ann.tar']);

  const secret = join(filesOf(old, 'ann'), 'site/secret');
  writeFileSync(secret, '', { mode: 0 });
  const partly = await run(old, 'export', 'ann', join(temporaryFolder(), 'b.tar'), '--json');
  assert.is(partly.code, 1);
  assert.match(String(lastLine(partly.stdout)['missing']), /site\/secret: Cannot open: Permission denied/);
  rmSync(secret);
  const { lines } = await old.hostkeep.core.events.page((await old.hostkeep.core.accounts.get('ann')).id, '', 0, 1);
  assert.match(lines[0] ?? '', /User 'ann' was exported to an archive from the command line/);
});

test('what is no whole archive is refused before anything is made', async () => {
  const refuses = (pattern: RegExp, file: string, ...more: readonly string[]) =>
    refused(fresh, pattern, 'import', file, ...more);
  const bytes = readFileSync(archive);
  const written = (content: Uint8Array) => {
    const file = join(temporaryFolder(), 'x.tar');
    writeFileSync(file, content);
    return file;
  };
  const same = () => undefined;
  await refuses(/ENOENT/, join(temporaryFolder(), 'none.tar'));
  await refuses(/no usable archive: it is not a tar file/, written(Buffer.alloc(5000, 'x')));
  await refuses(/no usable archive/, written(Buffer.alloc(0)));
  for (const length of [100, 512, 5000, bytes.length / 2, bytes.length - 1500])
    await refuses(/no usable archive: the file is cut off/, written(bytes.subarray(0, Math.floor(length))));
  const damaged = Buffer.from(bytes);
  damaged.writeUInt8((damaged[1000] ?? 0) ^ 1, 1000);
  await refuses(/files.tar in it is damaged/, written(damaged));
  await refuses(
    /that of another program/,
    changed(same, (told) => (told['format'] = 'zip')),
  );
  await refuses(
    /a format that this version does not know/,
    changed(same, (told) => (told['format_version'] = 2)),
  );
  await refuses(
    /does not hold what its manifest says/,
    changed(same, ({ members }) => (members[0]!.size_bytes += 1)),
  );
  await refuses(
    /files.tar in it is damaged/,
    changed(same, ({ members }) => (members[0]!.sha256 = 'none')),
  );
  await refuses(
    /no usable archive: .*more/,
    changed(same, (told) => (told['more'] = 1)),
  );
  await refuses(
    /no usable archive: .*email/,
    changed(same, ({ account }) => (account['email'] = 'a\nb')),
  );
  await refuses(/no plan fancy/, archive, '--plan', 'fancy');
  await refuses(/a user name has 1 to 32/, archive, '--username', '../ann');
  assert.equal(await fresh.hostkeep.core.accounts.list(10), []);
  await refused(old, /ann already exists|in use|there is an account/, 'import', archive);
  assert.ok(existsSync(join(filesOf(old, 'ann'), 'site/index.html')), 'the account that has the name stays');
});

test('another installation gets the files and domains', async () => {
  const { code, stdout, stderr } = await run(fresh, 'import', archive, '--json');
  assert.is(code, 0, stderr);
  const { password, missing, next, ...told } = lastLine(stdout);
  assert.equal([told, missing], [{ username: 'ann', plan: 'developer' }, []]);
  assert.equal(next, ['suspend shop.example again, which an administrator had suspended']);
  const [from, to] = [filesOf(old, 'ann'), filesOf(fresh, 'ann')];
  const names = (folder: string) =>
    readdirSync(folder, 'latin1')
      .filter((name) => name !== '.hostkeep')
      .toSorted();
  assert.equal(names(to), names(from));
  assert.is(existsSync(join(to, '.hostkeep')), false, 'the trash stays');
  for (const name of ['site/index.html', 'odd "name"\n\\ä € -> b', '-rf', 'n'.repeat(255)])
    assert.is(readFileSync(join(to, name), 'utf8'), readFileSync(join(from, name), 'utf8'), name);
  const { mode, mtimeMs, ino } = statSync(join(to, 'site/index.html'));
  assert.equal([mode & 0o777, mtimeMs], [0o604, 1_000_000_000_000]);
  assert.is(statSync(join(to, 'site/sub/same.html')).ino, ino);
  assert.is(statSync(join(to, 'site/sub')).mode & 0o777, 0o750);
  assert.is(readlinkSync(join(to, 'absolute')), '/etc/passwd');
  const { size, blocks } = lstatSync(join(to, 'sparse'));
  assert.ok(size === 64 << 20 && blocks * 512 < size, 'holes stay holes');

  const account = await fresh.hostkeep.core.accounts.get('ann');
  assert.equal([account.email, account.locale, account.suspended], ['ann@example.com', 'de', false]);
  assert.equal(account.overrides, { favorites: false });
  const body = { username: 'ann', password };
  assert.is((await fresh.ask('/api/login', { method: 'POST', body })).status, 200);
  const listed = await fresh.ask('/api/domains', { token: await fresh.token(account) });
  const { domains } = listed.body as unknown as { domains: Record<string, unknown>[] };
  assert.equal(domains.map((each) => [each['domain_url'], each['docroot'], each['aliases']]).toSorted(), [
    ['blog.shop.example', '/var/www/html/blog.shop.example', []],
    ['shop.example', '/var/www/html/site', ['store.example']],
  ]);
});

test('domains that others have refuse the whole account', async () => {
  await refused(fresh, /shop.example/, 'import', archive, '--username', 'bob', '--plan', 'developer');
  await assertNothingOf('bob');
});

/** Asserts that a name is free, and has no files. */
async function assertNothingOf(name: string): Promise<void> {
  const { accounts } = fresh.hostkeep.core;
  assert.equal(
    (await accounts.list(10)).filter(({ username }) => username === name),
    [],
    'no account',
  );
  assert.equal(await accounts.removed.list(), [], 'the name is free');
  assert.is(existsSync(filesOf(fresh, name)), false, 'no files');
}

test('files that are there already stay as they are', async () => {
  const theirs = filesOf(fresh, 'dan');
  mkdirSync(theirs, { recursive: true });
  writeFileSync(join(theirs, 'theirs'), 'kept');
  await refused(fresh, /something of the name dan already: files in /, 'import', archive, '--username', 'dan');
  assert.is(readFileSync(join(theirs, 'theirs'), 'utf8'), 'kept');
  rmSync(theirs, { recursive: true });
  await assertNothingOf('dan');
});

// threat hostile-files: names that climb, links that lead elsewhere
test('a hostile archive is refused, and the account that was begun is removed', async () => {
  const outside = temporaryFolder();
  const one = (folder: string) => writeFileSync(join(folder, 'a'), 'a');
  const climbing = (name: string) => withFiles(one, '-P', `--transform=s#^a$#${name}#`, 'a');
  const through = withFiles(
    (folder) => {
      symlinkSync(outside, join(folder, 'l'));
      mkdirSync(join(folder, 'm'));
      writeFileSync(join(folder, 'm/x'), 'x');
    },
    ...['-P', '--transform=s#^m/#l/#', 'l', 'm/x'],
  );
  const cut = changed((folder) => {
    writeFileSync(join(folder, 'large'), Buffer.alloc(100_000));
    tar(folder, '-cf', join(folder, FILES), 'large');
    truncateSync(join(folder, FILES), 50_000);
  });
  const junk = changed((folder) => writeFileSync(join(folder, FILES), Buffer.alloc(10_240, 'x')));
  const domain = { name: 'eve.example', aliases: [], shown_as: '', is_suspended: false, is_held: false };
  const domains = (value: unknown) =>
    changed(
      (folder) => tar(folder, '-cf', join(folder, FILES), '-T', '/dev/null'),
      (told) => (told.parts = { domains: value }),
    );
  const hostile: readonly (readonly [string, RegExp])[] = [
    [climbing('../../climbed'), /cannot be unpacked: .*contains '\.\.'/],
    [climbing(join(outside, 'absolute')), /an entry that no account can have/],
    [climbing('.hostkeep/trash/a'), /an entry that no account can have/],
    [withFiles(one, '.'), /an entry that no account can have/],
    [through, /cannot be unpacked/],
    [cut, /cannot be unpacked/],
    [junk, /cannot be unpacked/],
    [domains('all'), /it has what no account can have: domains must be array/],
    [domains([{ ...domain, docroot: 'site', account_id: 1 }]), /domains.0.account_id is not known here/],
    [domains([{ ...domain, docroot: '../../ann' }]), /must not contain \.\./],
  ];
  for (const [file, pattern] of hostile) {
    await refused(fresh, pattern, 'import', file, '--username', 'eve');
    await assertNothingOf('eve');
  }
  assert.equal(readdirSync(outside), []);
});

test('more than the plan allows is refused', async () => {
  const { plans } = fresh.hostkeep.core;
  await plans.create('tiny', { limits: { disk_limit_mib: 1 } }, []);
  await plans.create('few', { limits: { inodes_limit: 3 } }, []);
  const refuses = (pattern: RegExp, plan: string) =>
    refused(fresh, pattern, 'import', archive, '--username', 'eve', '--plan', plan);
  await refuses(/take more than the 1 MiB that the plan allows/, 'tiny');
  await refuses(/more than the 3 files and folders/, 'few');
  await assertNothingOf('eve');
});

test('what the account was granted beyond its plan is the operator’s to grant', async () => {
  const same = () => undefined;
  const file = changed(same, (told) => {
    told.account['features'] = { docker: true, no_such_feature: true };
    told.account['is_suspended'] = true;
    told.parts = { unknown: { any: 1 }, domains: told.parts['domains'] };
  });
  await fresh.hostkeep.core.plans.create('bare', {}, []);
  const { code, stdout } = await run(fresh, 'import', file, '--username', 'cleo', '--plan', 'bare', '--json');
  const { missing, next } = lastLine(stdout);
  assert.is(code, 1, 'something is missing');
  assert.equal(missing, [
    'what the plugin unknown keeps, which is not installed or off',
    'what the plugin domains keeps: the account has no feature of domains, capitalize_domains',
  ]);
  assert.match(String(next), /hostkeep feature on docker --account cleo/);
  const cleo = await fresh.hostkeep.core.accounts.get('cleo');
  assert.equal([cleo.suspended, cleo.features.size], [true, 0]);
});

// threat half-made-changes: an import that was killed is found, and leaves nothing that is served
test('an import that was killed is told to whoever looks, and can be repeated', async () => {
  const { child, line } = await start(
    fresh.data,
    ['account', 'import', archive, '--username', 'dora', '--plan', 'developer'],
    /^files$/m,
  );
  child.kill('SIGKILL');
  await once(child, 'exit');
  await line(/files/);
  const { accounts } = fresh.hostkeep.core;
  const dora = await accounts.get('dora');
  const told =
    /the import of dora that began at .* has not ended: unless it still runs, run hostkeep account remove dora/;
  const found = (await fresh.hostkeep.plugins.gather('doctor')).find(({ plugin }) => plugin === 'account-archives');
  assert.match(JSON.stringify(found), told);
  const again = await run(fresh, 'import', archive, '--username', 'dora', '--plan', 'developer');
  assert.is(again.code, 1);
  assert.match(again.stdout, told);
  assert.match(again.stderr, /there is an account|already exists/);
  assert.is((await accounts.get('dora')).id, dora.id);
  for (const act of ['remove', 'purge']) assert.is((await run(fresh, act, 'dora', '--yes')).code, 0, act);
  assert.equal(await fresh.hostkeep.core.store.all('select * from account_imports'), []);
  assert.is(existsSync(filesOf(fresh, 'dora')), false);
});
