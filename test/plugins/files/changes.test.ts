import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import entriesJob from '../../../plugins/files/jobs/entries-job.ts';
import { rootAt } from '../../support/files-root.ts';
import { TestServer, type Person } from '../../support/hostkeep.ts';
import { rawConnection } from '../../support/raw.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';
import { pick } from '../../support/lists.ts';

const test = testSuite('files: changes');
const MIB = 1 << 20;
const CONTENT = '/api/files/content?path=' as const;

let server: TestServer;
let ann: Person;
let bob: Person;
test.before(async () => {
  server = await TestServer.start();
  [ann, bob] = [await server.user('anna'), await server.user('bob')];
  for (const { account } of [ann, bob]) mkdirSync(join(account.filesRoot, 'site'), { recursive: true });
  writeFileSync(join(bob.account.filesRoot, 'secret'), 'of bob');
});

type Body = Readonly<Record<string, unknown>>;
const fetched = (path: string, init: RequestInit = {}, token = ann.token) =>
  fetch(`${server.hostkeep.url('user')}${path}`, {
    ...init,
    headers: { Authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) },
  });
const put = (path: string, body: Uint8Array | string, headers: Record<string, string> = {}) =>
  fetched(`${CONTENT}${encodeURIComponent(path)}`, { method: 'PUT', body, headers });
const here = (path: string) => join(ann.account.filesRoot, path);
const uploads = () => readdirSync(here('.hostkeep/uploads'));

test('what permissions refuse is told as such', async () => {
  const { account, asks } = await server.user('cleo');
  const own = (path: string) => join(account.filesRoot, path);
  mkdirSync(own('closed/in'), { recursive: true });
  writeFileSync(own('shut'), 'mine');
  // root may read everything, and the process of an account has the id of its folder
  if (process.getuid?.() === 0) for (const path of ['', 'closed', 'shut']) chownSync(own(path), 70_001, 70_001);
  for (const path of ['closed', 'shut']) chmodSync(own(path), 0o000);
  await asks(`GET ${CONTENT}shut`, '403 permission_denied');
  await asks(`GET ${CONTENT}closed/in/x`, '403 permission_denied');
  chmodSync(own('closed'), 0o500);
  await asks('POST /api/files/folders', { path: 'closed/new' }, '403 permission_denied');
});

test('paths that climb, that are ours, or that lead nowhere are refused', async () => {
  symlinkSync(bob.account.filesRoot, here('link'));
  for (const path of ['../bob/secret', '/etc/passwd', '.hostkeep/uploads/x', '.hostkeep', 'a\nb', 'x'.repeat(300)]) {
    await ann.rows(
      [`GET ${CONTENT}${encodeURIComponent(path)}`, '400 invalid_path'],
      ['POST /api/files/folders', { path }, '400 invalid_path'],
      ['POST /api/files/move', { from: path, to: 'new' }, '400 invalid_path'],
      ['POST /api/files/move', { from: 'site', to: path }, '400 invalid_path'],
      ['PUT /api/files/mode', { path, mode: '777' }, '400 invalid_path'],
    );
    const refused = await put(path, 'x');
    assert.equal([refused.status, ((await refused.json()) as Body)['error']], [400, 'invalid_path'], path);
  }
  await ann.rows(
    [`GET ${CONTENT}link/secret`, '404 folder_not_found'],
    [`GET ${CONTENT}link`, '404 file_not_found'],
    [`GET ${CONTENT}site`, '404 file_not_found'],
    ['PUT /api/files/mode', { path: 'link', mode: '777' }, '404 file_not_found'],
  );
  assert.is((await put('link/planted', 'x')).status, 404);
  assert.is((await put('link', 'x')).status, 409, 'a link is not written through');
  assert.equal(readdirSync(bob.account.filesRoot).toSorted(), ['secret', 'site']);
});

test('a file is uploaded whole, listed, and downloaded as it was', async () => {
  const content = Buffer.alloc(3 * MIB + 7, 'hostkeep ');
  const digest = createHash('sha256').update(content).digest('base64');
  const response = await put('site/big.bin', content, { 'Content-Digest': `sha-256=:${digest}:` });
  const written = (await response.json()) as Body;
  assert.equal(
    [response.status, written['path'], written['size_bytes']],
    [200, '/var/www/html/site/big.bin', content.length],
  );
  assert.ok(readFileSync(here('site/big.bin')).equals(content));
  assert.equal(uploads(), []);
  const { entries } = await ann.asks<{ entries: Body[] }>('GET /api/files?path=site', 200);
  assert.equal(
    entries.map(({ name, kind, mode, etag }) => [name, kind, mode, etag]),
    [['big.bin', 'file', '0644', written['etag']]],
  );
  const { folders } = await ann.asks<{ folders: Body[] }>('GET /api/folders', 200);
  assert.equal(pick(folders, 'name'), ['site'], 'our own folder is no folder of theirs');
  const whole = await fetched(`${CONTENT}site/big.bin`);
  assert.ok(Buffer.from(await whole.arrayBuffer()).equals(content));
  assert.equal(
    ['content-length', 'etag', 'content-type'].map((name) => whole.headers.get(name)),
    [String(content.length), written['etag'], 'application/octet-stream'],
  );
  assert.match(whole.headers.get('content-disposition') ?? '', /^attachment; filename\*=UTF-8''big.bin$/);
  for (const [range, start, end] of [
    ['bytes=0-9', 0, 10],
    [`bytes=${2 * MIB}-`, 2 * MIB, content.length],
    ['bytes=-5', content.length - 5, content.length],
  ] as const) {
    const part = await fetched(`${CONTENT}site/big.bin`, { headers: { Range: range } });
    assert.is(part.status, 206, range);
    assert.is(part.headers.get('content-range'), `bytes ${start}-${end - 1}/${content.length}`);
    assert.ok(Buffer.from(await part.arrayBuffer()).equals(content.subarray(start, end)), range);
  }
  const beyond = await fetched(`${CONTENT}site/big.bin`, { headers: { Range: 'bytes=99999999-' } });
  assert.equal([beyond.status, beyond.headers.get('content-range')], [416, `bytes */${content.length}`]);
  const known = await fetched(`${CONTENT}site/big.bin`, { headers: { 'If-None-Match': `"x", W/${written['etag']}` } });
  assert.is(known.status, 304);
  for (let i = 0; i < 9; i += 1) assert.is((await fetched(`${CONTENT}site/big.bin`, { method: 'HEAD' })).status, 200);
  assert.is(
    (await fetched(`${CONTENT}site/big.bin`)).status,
    200,
    'no answer without a body is a transfer that goes on',
  );
});

test('a small file is uploaded whole, and only if its digest and the place are right', async () => {
  const digest = createHash('sha256').update('small').digest('base64');
  const at = (name: string, headers: Readonly<Record<string, string>> = {}) =>
    put(`site/${name}`, 'small', { 'Content-Digest': `sha-256=:${digest}:`, ...headers });
  const other = `sha-256=:${createHash('sha256').update('other').digest('base64')}:`;
  assert.is((await at('small.txt', { 'Content-Digest': other })).status, 422);
  assert.is((await at('small.txt', { 'If-Match': '"x"' })).status, 412);
  assert.is((await put('nowhere/small.txt', 'small')).status, 404);
  assert.equal([existsSync(here('site/small.txt')), uploads()], [false, []]);
  assert.is((await at('small.txt', { 'If-None-Match': '*' })).status, 200);
  assert.is((await at('small.txt', { 'If-None-Match': '*' })).status, 409);
  assert.is((await put('site/empty.txt', '')).status, 200);
  assert.equal(
    ['small.txt', 'empty.txt'].map((name) => readFileSync(here(`site/${name}`), 'utf8')),
    ['small', ''],
  );
  assert.equal(uploads(), []);
});

test('a change of another version is refused, and nothing is lost', async () => {
  const first = (await (await put('page.html', 'one')).json()) as Body;
  assert.is((await put('page.html', 'new', { 'If-None-Match': '*' })).status, 409);
  assert.is((await put('page.html', 'two', { 'If-Match': String(first['etag']) })).status, 200);
  const stale = await put('page.html', 'three', { 'If-Match': String(first['etag']) });
  assert.equal([stale.status, ((await stale.json()) as Body)['error']], [412, 'file_changed']);
  assert.is((await put('page.html', 'x', { 'If-None-Match': '"a"' })).status, 400);
  assert.is((await put('page.html', 'x', { 'Content-Digest': 'md5=:x:' })).status, 400);
  const wrong = createHash('sha256').update('other').digest('base64');
  assert.is((await put('page.html', 'x', { 'Content-Digest': `sha-256=:${wrong}:` })).status, 422);
  assert.is(readFileSync(here('page.html'), 'utf8'), 'two');
  assert.equal(uploads(), []);
});

test('a file may be larger than what jobs write otherwise', async () => {
  const response = await put('site/large.bin', Buffer.alloc(80 * MIB, 'x'));
  assert.is(response.status, 200);
  assert.is(statSync(here('site/large.bin')).size, 80 * MIB);
  rmSync(here('site/large.bin'));
});

test('an upload that breaks off leaves the file as it was, and no rest', async () => {
  writeFileSync(here('kept.txt'), 'kept');
  const socket = await rawConnection(server.hostkeep.url('user'));
  socket.write(
    `PUT ${CONTENT}kept.txt HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ann.token}\r\nContent-Length: ${8 * MIB}\r\n\r\n`,
  );
  socket.write(Buffer.alloc(2 * MIB));
  await until('it has begun', () => uploads().length === 1);
  const closed = once(socket, 'close');
  socket.destroy();
  await closed;
  await until('its rest is gone', () => uploads().length === 0);
  assert.is(readFileSync(here('kept.txt'), 'utf8'), 'kept');
});

test('a forgotten upload goes when the next begins', async () => {
  writeFileSync(here('.hostkeep/uploads/forgotten'), 'x');
  utimesSync(here('.hostkeep/uploads/forgotten'), 1, 1);
  assert.is((await put('next.txt', 'x')).status, 200);
  assert.equal(uploads(), []);
});

test('what the plan has no room for is refused before it is taken', async () => {
  const { plans } = server.hostkeep.core;
  await plans.create('tiny', { limits: { disk_limit_mib: 1 } }, ['filemanager', 'disk_usage']);
  const { account, token } = await server.user('tina', 'tiny');
  mkdirSync(account.filesRoot, { recursive: true });
  const send = async (name: string) =>
    (await fetched(`${CONTENT}${name}`, { method: 'PUT', body: Buffer.alloc(2 * MIB) }, token)).status;
  await until('its usage is known', async () => (await send('first')) === 507);
  assert.is(await send('second'), 507);
  assert.equal(readdirSync(account.filesRoot).toSorted(), ['.hostkeep', 'first']);
});

test('folders are made, entries moved, and modes set', async () => {
  await ann.rows(
    ['POST /api/files/folders', { path: 'blog' }, 201],
    ['POST /api/files/folders', { path: 'blog' }, '409 file_exists'],
    ['POST /api/files/folders', { path: 'none/blog' }, '404 folder_not_found'],
  );
  await put('blog/a.txt', 'a');
  await put('blog/b.txt', 'b');
  await ann.rows(
    ['POST /api/files/move', { from: 'blog/a.txt', to: 'blog/b.txt' }, '409 file_exists'],
    ['POST /api/files/move', { from: 'blog', to: 'blog/inner' }, '400 invalid_path'],
    ['POST /api/files/move', { from: 'blog/a.txt', to: 'site/c.txt' }, 200],
    ['POST /api/files/move', { from: 'blog', to: 'journal' }, 200],
  );
  assert.equal([readFileSync(here('site/c.txt'), 'utf8'), readdirSync(here('journal'))], ['a', ['b.txt']]);
  const path = 'journal/b.txt';
  await ann.asks('PUT /api/files/mode', { path, mode: '0600' }, 200, { mode: '0600' });
  assert.is(statSync(here(path)).mode & 0o7777, 0o600);
  await ann.asks('PUT /api/files/mode', { path, mode: '4755' }, 400);
  await put(path, 'again');
  assert.is(statSync(here(path)).mode & 0o7777, 0o600, 'a new content keeps the mode');
});

test('a folder is listed in pages, in the order that is asked for', async () => {
  mkdirSync(here('many/z-folder'), { recursive: true });
  for (let i = 0; i < 5; i++) writeFileSync(here(`many/${i}`), 'x'.repeat(10 - i));
  const names = async (query: string) => {
    const page = await ann.asks<{ entries: Body[] } & Body>(`GET /api/files?path=many&${query}`, 200);
    return [pick(page.entries, 'name').join(' '), page['next_cursor'], page['total']];
  };
  assert.equal(await names('limit=3'), ['z-folder 0 1', '3', 6]);
  assert.equal(await names('limit=3&cursor=3'), ['2 3 4', null, 6]);
  assert.equal(await names('sort=size&order=asc'), ['z-folder 4 3 2 1 0', null, 6]);
  assert.equal(await names('sort=name&order=desc'), ['z-folder 4 3 2 1 0', null, 6]);
});

test('the pages of a large folder are all of it, in each order', () => {
  mkdirSync(here('large'));
  const files = Array.from({ length: 2500 }, (_, i) => ({ name: `${(i * 7919) % 2500}`, size: i % 7, time: i % 11 }));
  for (const { name, size, time } of files) {
    writeFileSync(here(`large/${name}`), 'x'.repeat(size));
    utimesSync(here(`large/${name}`), time, time);
  }
  for (const name of ['b', 'a', 'c']) mkdirSync(here(`large/${name}`));
  const names = (sort: 'name' | 'size' | 'modified', isDescending: boolean, limit: number, count = 2503) => {
    const page = { components: ['large'], sort, isDescending, limit, maxEntries: 10_000 };
    const read = (offset: number) =>
      entriesJob({ ...page, offset }, { root: rootAt(ann.account.filesRoot) } as JobContext);
    const pages = Array.from({ length: Math.ceil(count / limit) }, (_, i) => read(i * limit));
    assert.ok(pages.every(({ total }) => total === 2503));
    return pages.flatMap((each) => each.entries.map(({ name }) => name));
  };
  const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
  const inOrder = (compare: (a: (typeof files)[0], b: (typeof files)[0]) => number) =>
    files.toSorted((a, b) => compare(a, b) || byName(a, b)).map(({ name }) => name);
  const up = inOrder(byName);
  assert.equal(names('name', false, 999), ['a', 'b', 'c', ...up]);
  assert.equal(names('name', true, 999), ['c', 'b', 'a', ...up.toReversed()]);
  assert.equal(names('size', false, 1000), ['a', 'b', 'c', ...inOrder((a, b) => a.size - b.size)]);
  assert.equal(names('size', true, 1000), ['a', 'b', 'c', ...inOrder((a, b) => b.size - a.size)]);
  assert.equal(
    names('modified', true, 1000).slice(3),
    inOrder((a, b) => b.time - a.time),
  );
  assert.equal(names('name', false, 2, 12), ['a', 'b', 'c', ...up.slice(0, 9)]);
});

test('what a folder gains shows at once, also in one whose names are remembered', () => {
  const page = { sort: 'name', isDescending: false, offset: 0, limit: 1, maxEntries: 1000 } as const;
  const context = { root: rootAt(ann.account.filesRoot) } as JobContext;
  const total = (folder: string) => entriesJob({ ...page, components: [folder] }, context).total;
  for (const folder of ['quick', 'settled']) mkdirSync(here(folder));
  for (let i = 0; i < 200; i++) {
    assert.is(total('quick'), i);
    writeFileSync(here(`quick/${i}`), '');
  }
  const { now } = Date;
  Date.now = () => now() + 3_600_000;
  try {
    const changedAt = () => statSync(here('settled'), { bigint: true }).ctimeNs;
    for (let made = 0; made < 20;) {
      assert.is(total('settled'), made);
      for (const before = changedAt(); changedAt() === before; made += 1) writeFileSync(here(`settled/${made}`), '');
    }
  } finally {
    Date.now = now;
  }
});
