import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import type { Account } from '../../../../kernel/identity/accounts/account.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { reportSkipped, testSuite } from '../../../support/suite.ts';
import { eventually } from '../../../support/until.ts';

const test = testSuite('files: archives');
const hasPrograms = ['bsdtar', 'zstd'].every((name) => existsSync(`/usr/bin/${name}`));
if (!hasPrograms)
  reportSkipped('tests of archives; install their programs with apt-get install -y libarchive-tools zstd');

const outside = temporaryFolder();
let server: TestServer;
let ann: { account: Account; token: string };
test.before(async () => {
  server = await TestServer.start({ config: { files: { task_names: 500, archive_ratio: 10 } } });
  ann = await server.user('anna');
  mkdirSync(ann.account.filesRoot, { recursive: true });
});
test.after(() => server.close());

type Body = Readonly<Record<string, unknown>>;
const ask = (method: string, path: string, body?: unknown) =>
  server.ask<Body>(path, { method, token: ann.token, ...(body !== undefined && { body }) });
const here = (path: string) => join(ann.account.filesRoot, path);
const work = () => (existsSync(here('.hostkeep/work')) ? readdirSync(here('.hostkeep/work')) : []);
/** Begins a task and resolves with what became of it. */
async function done(path: string, body: unknown): Promise<Body> {
  const begun = await ask('POST', path, body);
  assert.is(begun.status, 202, JSON.stringify(begun.body));
  const task = () => ask('GET', `/api/files/tasks/${String(begun.body['id'])}`);
  const { body: ended } = await eventually('it has ended', task, (answer) => answer.body['state'] !== 'running');
  assert.equal(work(), [], 'nothing unfinished is left');
  return ended;
}
const extract = (from: string, to: string) => done('/api/files/extract', { from, to });
const tar = (file: string, args: readonly string[]) => execFileSync('tar', ['-C', outside, '-cf', here(file), ...args]);
const gzip = (file: string) => execFileSync('gzip', ['-f', here(file)]);
/** Resolves with what a link of these paths leads to, without a login. */
async function downloaded(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const made = await ask('POST', '/api/files/downloads', body);
  assert.is(made.status, 201, JSON.stringify(made.body));
  return fetch(server.hostkeep.url('user') + String(made.body['href']), { headers });
}

test('what is packed is the same when it is unpacked, in each format', async () => {
  if (!hasPrograms) return;
  mkdirSync(here('site/deep/empty'), { recursive: true });
  const content = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 7919) % 251));
  writeFileSync(here('site/deep/data.bin'), content);
  writeFileSync(here('site/-rf ünï "x".sh'), '#!/bin/sh');
  chmodSync(here('site/-rf ünï "x".sh'), 0o755);
  linkSync(here('site/deep/data.bin'), here('site/second name'));
  symlinkSync('/etc/passwd', here('site/link'));
  for (const format of ['zip', 'tar.gz', 'tar.zst']) {
    const packed = await done('/api/files/compress', { paths: ['site', 'site'], to: `site.${format}`, format });
    assert.equal([packed['state'], packed['error']], ['done', null], JSON.stringify(packed));
    const { state, files, left_out: leftOut, path } = await extract(`site.${format}`, `from ${format}`);
    assert.equal([state, files, leftOut, path], ['done', 6, 1, `/var/www/html/from ${format}`], format);
    const there = here(`from ${format}/site`);
    assert.equal(readdirSync(there).toSorted(), ['-rf ünï "x".sh', 'deep', 'second name'], format);
    for (const name of ['deep/data.bin', 'second name'])
      assert.ok(readFileSync(join(there, name)).equals(content), name);
    assert.is(statSync(join(there, '-rf ünï "x".sh')).mode & 0o777, 0o755);
    assert.is(statSync(join(there, 'deep/data.bin')).mode & 0o777, 0o644);
    const seconds = (path: string) => Math.floor(statSync(path).mtimeMs / 2000); // zip counts every other second
    assert.is(seconds(join(there, 'deep/data.bin')), seconds(here('site/deep/data.bin')));
  }
});

test('an archive is refused where something is in the way, or nothing is there', async () => {
  if (!hasPrograms) return;
  const compress = (paths: string[], to: string) => done('/api/files/compress', { paths, to });
  assert.is((await compress(['site'], 'site.zip'))['error'], 'file_exists');
  assert.is((await compress(['nothing'], 'new.zip'))['error'], 'file_not_found');
  assert.is((await compress(['nowhere/x'], 'new.zip'))['error'], 'folder_not_found');
  assert.is((await extract('site.zip', 'site'))['error'], 'file_exists');
  assert.is((await extract('site', 'new'))['error'], 'file_not_found');
  assert.is((await extract('site/link', 'new'))['error'], 'file_not_found', 'a link is not followed');
  for (const [path, body] of [
    ['compress', { paths: ['site', 'other/x'], to: 'new.zip' }],
    ['compress', { paths: [''], to: 'new.zip' }],
    ['compress', { paths: ['../bob'], to: 'new.zip' }],
    ['extract', { from: 'site.zip', to: '.hostkeep/x' }],
    ['downloads', { paths: ['site', '.hostkeep/x'], format: 'zip' }],
  ] as const)
    assert.is((await ask('POST', `/api/files/${path}`, body)).body['error'], 'invalid_path', JSON.stringify(body));
  assert.is((await ask('POST', '/api/files/downloads', { paths: ['a', 'b'] })).status, 400);
});

// threat hostile-files: names that climb or repeat, links, bombs and other formats write nothing, and nowhere else
test('a hostile archive is refused whole, and writes nothing anywhere', async () => {
  if (!hasPrograms) return;
  writeFileSync(join(outside, 'file'), 'hostile');
  mkdirSync(join(outside, 'folder'));
  symlinkSync(outside, join(outside, 'exit'));
  linkSync(join(outside, 'file'), join(outside, 'same'));
  tar('climbing.tar', ['--transform', 's,^,../../,', 'file', '-P']);
  tar('absolute.tar', ['--transform', `s,^,${outside}/planted/,`, 'file', '-P']);
  tar('inside.tar', ['--transform', 's,^,a/../../,', 'file', '-P']);
  tar('twice.tar', ['file']);
  execFileSync('tar', ['-C', outside, '-rf', here('twice.tar'), 'file']);
  tar('kinds.tar', ['--transform', 's,folder,file,', 'folder', 'file']);
  tar('through.tar', ['exit', '--transform', 's,^file,exit/planted,', 'file']);
  for (const name of ['climbing', 'absolute', 'inside', 'twice', 'kinds', 'through']) gzip(`${name}.tar`);
  for (const name of ['climbing', 'absolute', 'inside', 'twice', 'kinds']) {
    assert.is((await extract(`${name}.tar.gz`, 'out'))['error'], 'archive_refused', name);
    execFileSync('bsdtar', ['-Pcf', here(`${name}.zip`), '--format=zip', `@${here(`${name}.tar.gz`)}`]);
    assert.is((await extract(`${name}.zip`, 'out'))['error'], 'archive_refused', `${name}.zip`);
  }
  const { state, left_out: leftOut } = await extract('through.tar.gz', 'through');
  assert.equal([state, leftOut], ['done', 1]);
  assert.is(readFileSync(here('through/exit/planted'), 'utf8'), 'hostile', 'a folder, where the archive has a link');
  tar('long.tar', ['folder', 'file', '--transform', `s,^file,${'é'.repeat(128)},`]);
  gzip('long.tar');
  const long = await extract('long.tar.gz', 'long');
  assert.equal([long['state'], long['left_out'], readdirSync(here('long'))], ['done', 1, ['folder']]);
  tar('hard.tar', ['file', 'same']);
  gzip('hard.tar');
  assert.equal((await extract('hard.tar.gz', 'hard'))['left_out'], 1);
  assert.equal([readdirSync(outside).toSorted(), existsSync(here('out'))], [['exit', 'file', 'folder', 'same'], false]);
});

test('a bomb ends at its bounds, and what is no archive is said to be none', async () => {
  if (!hasPrograms) return;
  writeFileSync(join(outside, 'zeros'), '');
  truncateSync(join(outside, 'zeros'), 200 << 20);
  tar('bomb.tar', ['zeros']);
  execFileSync('bsdtar', ['-cf', here('bomb.zip'), '--format=zip', `@${here('bomb.tar')}`]);
  execFileSync('zstd', ['-q', here('bomb.tar')]);
  for (const name of ['bomb.zip', 'bomb.tar.zst'])
    assert.is((await extract(name, 'bomb'))['error'], 'task_too_large', name);
  mkdirSync(join(outside, 'many'));
  for (let i = 0; i < 501; i += 1) writeFileSync(join(outside, 'many', String(i)), '');
  tar('many.tar', ['many']);
  gzip('many.tar');
  assert.is((await extract('many.tar.gz', 'many'))['error'], 'task_too_large');
  const deep = Array.from({ length: 70 }, () => 'd').join('/');
  tar('deep.tar', ['--transform', `s,^,${deep}/,`, 'file']);
  gzip('deep.tar');
  assert.is((await extract('deep.tar.gz', 'deep'))['error'], 'archive_refused');
  // a format of bsdtar that names files of the machine to be read
  writeFileSync(here('list.mtree'), '#mtree\nstolen type=file contents=/etc/passwd\n');
  writeFileSync(here('list.tar'), readFileSync(here('list.mtree')));
  gzip('list.tar');
  writeFileSync(here('text.zip'), 'PK\u0003\u0004 nothing of the kind');
  writeFileSync(here('empty.zip'), '');
  writeFileSync(here('short.tar.gz'), readFileSync(here('site.tar.gz')).subarray(0, 2000));
  const damaged = readFileSync(here('site.zip'));
  damaged.fill(0xff, 100, 2000);
  writeFileSync(here('damaged.zip'), damaged);
  execFileSync('zip', ['-q', '-P', 'secret', '-r', here('locked.zip'), 'file'], { cwd: outside });
  for (const name of [
    'list.mtree',
    'list.tar.gz',
    'text.zip',
    'empty.zip',
    'short.tar.gz',
    'damaged.zip',
    'locked.zip',
  ])
    assert.is((await extract(name, 'none'))['error'], 'archive_unreadable', name);
  assert.not.ok(['bomb', 'many', 'deep', 'none'].some((name) => existsSync(here(name))));
});

test('a folder is downloaded as an archive by a link, and a file as it is, with ranges', async () => {
  if (!hasPrograms) return;
  for (const [format, list] of [
    ['zip', ['unzip', '-Z1']],
    ['tar.gz', ['tar', '-tzf']],
  ] as const) {
    const response = await downloaded({ paths: ['site/deep', 'site/second name'], format });
    assert.is(response.status, 200);
    assert.match(response.headers.get('content-disposition') ?? '', new RegExp(`filename\\*=UTF-8''site.${format}$`));
    const saved = join(outside, `saved.${format}`);
    writeFileSync(saved, Buffer.from(await response.arrayBuffer()));
    const [program, flag] = list;
    const names = execFileSync(program, [flag, saved]).toString().trim().split('\n');
    assert.equal(names.toSorted(), ['deep/', 'deep/data.bin', 'deep/empty/', 'second name']);
  }
  const part = await downloaded({ paths: ['site/deep/data.bin'] }, { Range: 'bytes=1-3' });
  const content = readFileSync(here('site/deep/data.bin'));
  assert.equal([part.status, Buffer.from(await part.arrayBuffer())], [206, content.subarray(1, 4)]);
  assert.is((await downloaded({ paths: ['site'] })).status, 404, 'a folder is no file');
  assert.is((await downloaded({ paths: ['gone'], format: 'zip' })).status, 404);
});

test('an archive that cannot be made is refused, and not broken off', async () => {
  if (!hasPrograms) return;
  const { account, token } = await server.user('cleo');
  const own = (path: string) => join(account.filesRoot, path);
  mkdirSync(own('site'), { recursive: true });
  writeFileSync(own('site/shut'), 'mine', { mode: 0o000 });
  // root may read everything, and the process of an account has the id of its folder
  if (process.getuid?.() === 0) for (const path of ['', 'site', 'site/shut']) chownSync(own(path), 70_003, 70_003);
  for (const format of ['zip', 'tar.gz', 'tar.zst']) {
    const request = { method: 'POST', token, body: { paths: ['site'], format } };
    const { body } = await server.ask<Body>('/api/files/downloads', request);
    const answer = await server.ask<Body>(String(body['href']));
    assert.equal([answer.status, answer.body['error']], [403, 'permission_denied'], format);
    assert.match(String(answer.body['detail']), /shut: Cannot open: Permission denied/);
  }
});

test('a link does not count while its account is suspended', async () => {
  if (!hasPrograms) return;
  const { body } = await ask('POST', '/api/files/downloads', { paths: ['site.zip'] });
  const url = server.hostkeep.url('user') + String(body['href']);
  assert.is((await fetch(url)).status, 200);
  const { accounts } = server.hostkeep.core;
  await accounts.suspend('anna');
  assert.is((await fetch(url)).status, 404);
  await accounts.unsuspend('anna');
  assert.is((await fetch(url)).status, 200);
  const other = `${url.slice(0, -3)}AAA`;
  const refused = await fetch(other);
  assert.equal([refused.status, ((await refused.json()) as Body)['error']], [404, 'download_not_found']);
});
