import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { execFileSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { rawConnection } from '../../support/raw.ts';
import { testSuite } from '../../support/suite.ts';
import { eventually, until } from '../../support/until.ts';

const test = testSuite('uploads');
const MIB = 1 << 20;
const UPLOADS = '/api/uploads';
const TYPE = 'application/offset+octet-stream';
type User = Awaited<ReturnType<TestServer['user']>>;
type Body = Readonly<Record<string, unknown>>;

let server: TestServer;
let [ann, bob] = [] as unknown as [User, User];
test.before(async () => {
  server = await TestServer.start({ config: { uploads: { open: 6, max_mib: 64, check_seconds: 1 } } });
  [ann, bob] = [await server.user('anna'), await server.user('bob')];
  for (const { account } of [ann, bob]) mkdirSync(join(account.filesRoot, 'site'), { recursive: true });
  writeFileSync(join(bob.account.filesRoot, 'secret'), 'of bob');
});
test.after.each(async () => {
  const { uploads } = (await (await send('GET', UPLOADS, {})).json()) as { uploads: { id: string }[] };
  for (const { id } of uploads) await send('DELETE', `${UPLOADS}/${id}`, {});
});

const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64');
const metadata = (values: Readonly<Record<string, string>>) =>
  Object.entries(values)
    .map(([key, value]) => `${key} ${base64(value)}`)
    .join(',');
/** Sends a request of the protocol; headers that are empty are left out. */
async function send(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  { body, token = ann.token }: { body?: Uint8Array<ArrayBuffer> | ReadableStream; token?: string } = {},
) {
  const all = { 'Tus-Resumable': '1.0.0', Authorization: `Bearer ${token}`, ...headers };
  return fetch(`${server.hostkeep.url('user')}${path}`, {
    method,
    headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')),
    ...(body && { body }),
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  });
}
const begin = (path: string, sizeBytes: number, more: Readonly<Record<string, string>> = {}, token = ann.token) =>
  send(
    'POST',
    UPLOADS,
    { 'Upload-Length': String(sizeBytes), 'Upload-Metadata': metadata({ path, ...more }) },
    { token },
  );
/** Begins an upload, and resolves with its path. */
async function begun(path: string, sizeBytes: number, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const answer = await begin(path, sizeBytes, more);
  assert.is(answer.status, 201, await answer.clone().text());
  return answer.headers.get('location') ?? '';
}
const patch = (
  at: string,
  offset: number,
  bytes: Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = {},
  token = ann.token,
) => send('PATCH', at, { 'Upload-Offset': String(offset), 'Content-Type': TYPE, ...headers }, { body: bytes, token });
const code = async (answer: Response | Promise<Response>) => {
  const { status, body } = { status: (await answer).status, body: (await (await answer).json()) as Body };
  return [status, body['error']];
};
const offsetAt = async (at: string) => Number((await send('HEAD', at, {})).headers.get('upload-offset') ?? NaN);
const here = (path: string) => join(ann.account.filesRoot, path);
const own = (name = '') => here(`.hostkeep/uploads/${name}`);
const fileOf = (at: string) => own(at.slice(UPLOADS.length + 1));
const local = () => server.hostkeep.core.local;
const isLocked = async (at: string) => {
  const row = await local().get<{ writer: string }>(
    'select writer from uploads where id = ?',
    at.slice(UPLOADS.length + 1),
  );
  return row?.writer !== '';
};
/** Sends the head of a PATCH and a part of its body, and leaves it there. */
async function halfPatch(at: string, sizeBytes: number, part: Uint8Array, more = '') {
  const socket = await rawConnection(server.hostkeep.url('user'));
  const head = [`PATCH ${at} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${ann.token}`, 'Tus-Resumable: 1.0.0'];
  const about = ['Upload-Offset: 0', `Content-Type: ${TYPE}`, `Content-Length: ${sizeBytes}`];
  socket.write([...head, ...about, ...(more === '' ? [] : [more]), '', ''].join('\r\n'));
  socket.write(part);
  return async () => {
    const closed = once(socket, 'close');
    socket.destroy();
    await closed;
  };
}

test('what is not the protocol, or leads nowhere, is refused', async () => {
  const at = await begun('refused.bin', 10);
  for (const version of ['', '0.2.2', '1.0.1'])
    for (const [method, path] of [
      ['POST', UPLOADS],
      ['PATCH', at],
      ['DELETE', at],
    ] as const) {
      const answer = await send(method, path, { 'Tus-Resumable': version });
      assert.equal(
        [answer.headers.get('tus-version'), answer.headers.get('tus-resumable')],
        ['1.0.0', '1.0.0'],
        `${method} ${version}`,
      );
      assert.equal(await code(answer), [412, 'protocol_version'], `${method} ${version}`);
    }
  assert.is((await send('HEAD', at, { 'Tus-Resumable': '2.0.0' })).status, 412);
  const path = metadata({ path: 'x' });
  for (const headers of [
    { 'Upload-Metadata': path },
    { 'Upload-Length': '-1', 'Upload-Metadata': path },
    { 'Upload-Length': '9'.repeat(16), 'Upload-Metadata': path },
    { 'Upload-Defer-Length': '1', 'Upload-Metadata': path },
    { 'Upload-Length': '1' },
    { 'Upload-Length': '1', 'Upload-Metadata': metadata({ filename: 'x' }) },
    { 'Upload-Length': '1', 'Upload-Metadata': 'path !' },
    { 'Upload-Length': '1', 'Upload-Metadata': `path ${base64(Buffer.from([0xff]))}` },
    { 'Upload-Length': '1', 'Upload-Metadata': `${path},${path}` },
    { 'Upload-Length': '1', 'Upload-Metadata': metadata({ path: 'x', overwrite: 'perhaps' }) },
    { 'Upload-Length': '1', 'Upload-Metadata': metadata({ path: 'x', more: 'y'.repeat(1600) }) },
  ] as Record<string, string>[])
    assert.equal(await code(send('POST', UPLOADS, headers)), [400, 'invalid_request'], JSON.stringify(headers));
  for (const wrong of ['../bob/secret', '/etc/passwd', '.hostkeep/uploads/x', 'a\nb', 'x'.repeat(300), '/'])
    assert.equal(await code(begin(wrong, 1)), [400, 'invalid_path'], wrong);
  assert.equal(await code(begin('none/x', 1)), [404, 'folder_not_found']);
  assert.equal(await code(begin('site', 1)), [409, 'file_exists']);
  assert.equal(await code(begin('x', 65 * MIB)), [413, 'upload_too_large']);
  for (const offset of ['', '-1', 'x', '1.5'])
    assert.equal(await code(patch(at, 0, Buffer.from('x'), { 'Upload-Offset': offset })), [400, 'invalid_request']);
  for (const type of ['', 'application/octet-stream'])
    assert.equal(await code(patch(at, 0, Buffer.from('x'), { 'Content-Type': type })), [415, 'upload_type']);
  for (const checksum of ['md5 x', 'sha1', `sha1 ${base64('short')}`, `sha256 ${base64('x'.repeat(32))} more`])
    assert.equal(await code(patch(at, 0, Buffer.from('x'), { 'Upload-Checksum': checksum })), [400, 'invalid_request']);
  assert.equal(await code(patch(at, 4, Buffer.from('x'))), [409, 'offset_mismatch']);
  assert.equal(await code(patch(at, 0, Buffer.from('x'.repeat(11)))), [413, 'upload_too_large']);
  assert.is(await offsetAt(at), 0);
  assert.equal(readdirSync(own()).length, 1, 'what was refused left nothing');
  for (const id of ['x', '../x', `${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`])
    assert.ok([400, 404].includes((await send('HEAD', `${UPLOADS}/${encodeURIComponent(id)}`, {})).status), id);
});

test("an upload is its account's alone", async () => {
  const at = await begun('mine.bin', 4);
  for (const answer of [
    send('GET', at, {}, { token: bob.token }),
    patch(at, 0, Buffer.from('evil'), {}, bob.token),
    send('DELETE', at, {}, { token: bob.token }),
  ])
    assert.equal(await code(answer), [404, 'upload_not_found']);
  assert.equal(await (await send('GET', UPLOADS, {}, { token: bob.token })).json(), { uploads: [] });
  assert.is((await patch(at, 0, Buffer.from('mine'))).status, 204);
  assert.is(readFileSync(here('mine.bin'), 'utf8'), 'mine');
});

test('a client learns what the server can do, and a page of another origin nothing', async () => {
  const { status, headers } = await send('OPTIONS', UPLOADS, { 'Tus-Resumable': '' });
  assert.equal(
    [status, ...['tus-version', 'tus-resumable', 'tus-max-size'].map((name) => headers.get(name))],
    [204, '1.0.0', '1.0.0', String(64 * MIB)],
  );
  assert.is(headers.get('tus-extension'), 'creation,creation-with-upload,termination,expiration,checksum');
  assert.is(headers.get('tus-checksum-algorithm'), 'sha1,sha256');
  const preflight = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' };
  const refused = await send('OPTIONS', UPLOADS, preflight);
  assert.equal([refused.status, refused.headers.get('access-control-allow-origin')], [405, null]);
});

test('a file comes in parts, and has its place with the last one', async () => {
  const content = Buffer.from(Array.from({ length: 3 * MIB + 7 }, (_, i) => i % 253));
  const answer = await begin('site/film.bin', content.length, { empty: '', filename: 'film.bin' });
  const at = answer.headers.get('location') ?? '';
  const made = (await answer.json()) as Body;
  assert.equal([made['path'], made['offset_bytes']], ['/var/www/html/site/film.bin', 0]);
  for (const [from, to] of [
    [0, 5],
    [5, 2 * MIB],
    [2 * MIB, content.length],
  ] as const) {
    assert.not.ok(existsSync(here('site/film.bin')));
    const { headers } = await send('HEAD', at, {});
    assert.equal(
      ['upload-offset', 'upload-length', 'upload-metadata', 'cache-control'].map((name) => headers.get(name)),
      [
        String(from),
        String(content.length),
        metadata({ path: 'site/film.bin', empty: '', filename: 'film.bin' }),
        'no-store',
      ],
    );
    const listed = (await (await send('GET', UPLOADS, {})).json()) as { uploads: Body[] };
    assert.equal(
      listed.uploads.map(({ offset_bytes }) => offset_bytes),
      [from],
    );
    const part = await patch(at, from, content.subarray(from, to));
    assert.equal([part.status, part.headers.get('upload-offset'), await part.text()], [204, String(to), '']);
    assert.ok(new Date(part.headers.get('upload-expires') ?? '').getTime() > Date.now());
    assert.equal([part.headers.get('content-length'), part.headers.get('content-type')], [null, null]);
  }
  assert.ok(readFileSync(here('site/film.bin')).equals(content));
  assert.equal([readdirSync(own()), statSync(here('site/film.bin')).mode & 0o777], [[], 0o644]);
  assert.is(await offsetAt(at), content.length, 'a client that lost the last answer learns that it is done');
  assert.is((await patch(at, content.length, Buffer.alloc(0))).status, 204);
  assert.equal(await code(patch(at, 0, Buffer.from('x'))), [409, 'offset_mismatch']);
  assert.equal(await (await send('GET', UPLOADS, {})).json(), { uploads: [] });
  assert.is((await send('DELETE', at, {})).status, 204);
  assert.is((await send('HEAD', at, {})).status, 404);
  assert.ok(existsSync(here('site/film.bin')), 'a complete file stays');
});

test('the beginning may come with the creation, and an empty file is made at once', async () => {
  const create = (body: string, headers: Record<string, string>) =>
    send(
      'POST',
      UPLOADS,
      { 'Upload-Metadata': metadata({ path: 'first.txt' }), ...headers },
      { body: Buffer.from(body) },
    );
  const head = { 'Upload-Length': '4', 'Content-Type': TYPE };
  assert.equal(await code(create('xy', { ...head, 'Content-Type': 'text/plain' })), [415, 'upload_type']);
  assert.equal(await code(create('vwxyz', head)), [413, 'upload_too_large']);
  const wrong = `sha256 ${base64(createHash('sha256').update('z').digest())}`;
  assert.equal(await code(create('xy', { ...head, 'Upload-Checksum': wrong })), [460, 'checksum_mismatch']);
  assert.equal(readdirSync(own()), []);
  const part = await create('xy', head);
  assert.equal([part.status, part.headers.get('upload-offset')], [201, '2']);
  const whole = await create('wxyz', head);
  assert.equal([whole.status, whole.headers.get('upload-offset')], [201, '4']);
  assert.is(readFileSync(here('first.txt'), 'utf8'), 'wxyz');
  const empty = await begin('empty.txt', 0);
  assert.equal([empty.status, empty.headers.get('upload-offset'), statSync(here('empty.txt')).size], [201, '0', 0]);
});

test('bytes with a wrong checksum do not count, whoever ends the request', async () => {
  const at = await begun('sum.bin', 3 * MIB);
  const content = Buffer.alloc(3 * MIB, 'sum ');
  const sum = (name: string, bytes: Uint8Array) => ({
    'Upload-Checksum': `${name} ${base64(createHash(name).update(bytes).digest())}`,
  });
  for (const name of ['sha1', 'sha256']) {
    assert.equal(await code(patch(at, 0, content.subarray(0, 2 * MIB), sum(name, content))), [
      460,
      'checksum_mismatch',
    ]);
    assert.equal([await offsetAt(at), statSync(fileOf(at)).size], [0, 0]);
  }
  const leave = await halfPatch(
    at,
    3 * MIB,
    content.subarray(0, 2 * MIB + 9),
    `Upload-Checksum: ${sum('sha1', content)['Upload-Checksum']}`,
  );
  await until('some of it is there', () => statSync(fileOf(at)).size >= MIB);
  assert.is(await offsetAt(at), 0, 'nobody knows yet whether it is right');
  await leave();
  await until('it is taken back', () => statSync(fileOf(at)).size === 0);
  // as a process leaves it that was killed meanwhile
  const taken = await eventually(
    'it is free',
    () => patch(at, 0, content.subarray(0, 9), sum('sha1', content.subarray(0, 9))),
    ({ status }) => status !== 423,
  );
  assert.is(taken.status, 204);
  writeFileSync(fileOf(at), 'garbage after nine');
  await local().write((tx) => tx.run('update uploads set unverified_from = 9 where state = ?', 'open'));
  assert.is(await offsetAt(at), 9);
  writeFileSync(fileOf(at), Buffer.concat([content.subarray(0, 9), Buffer.from('garbage')]));
  assert.is((await patch(at, 9, content.subarray(9), sum('sha256', content.subarray(9)))).status, 204);
  assert.ok(readFileSync(here('sum.bin')).equals(content));
});

test('what a connection brought before it broke is kept', async () => {
  const at = await begun('broken.bin', 8 * MIB);
  const leave = await halfPatch(at, 8 * MIB, Buffer.alloc(100, 'x'));
  await until('it is taken', () => isLocked(at));
  assert.equal(await code(patch(at, 0, Buffer.from('y'))), [423, 'upload_locked']);
  await leave();
  await until('it is kept', async () => (await offsetAt(at)) === 100);
  await until('the upload is free', async () => !(await isLocked(at)));
  assert.is((await send('DELETE', at, {})).status, 204);
  assert.equal([readdirSync(own()), existsSync(here('broken.bin'))], [[], false]);
});

test('of two who write to one upload at once, one does', async () => {
  const content = Buffer.alloc(6 * MIB, 'both');
  const at = await begun('both.bin', content.length);
  const leave = await halfPatch(at, content.length, content.subarray(0, MIB));
  await until('the first writes', async () => (await offsetAt(at)) === MIB);
  assert.equal(await code(patch(at, MIB, content.subarray(MIB))), [423, 'upload_locked']);
  assert.equal(await code(send('DELETE', at, {})), [423, 'upload_locked']);
  await leave();
  const answers = async () =>
    (await Promise.all([0, 1, 2].map(() => patch(at, MIB, content.subarray(MIB))))).map(({ status }) => status);
  const all = await eventually('one writes', answers, (statuses) => statuses.includes(204));
  assert.is(all.filter((status) => status === 204).length, 1, String(all));
  assert.ok(
    all.every((status) => [204, 409, 423].includes(status)),
    String(all),
  );
  assert.ok(readFileSync(here('both.bin')).equals(content));
});

test('a file takes its place only where it may', async () => {
  writeFileSync(here('taken.txt'), 'old');
  assert.equal(await code(begin('taken.txt', 3, { overwrite: 'false' })), [409, 'file_exists']);
  assert.equal(await code(begin('taken.txt', 3, { overwrite: '"other"' })), [412, 'file_changed']);
  const late = await begun('late.txt', 3, { overwrite: 'false' });
  writeFileSync(here('late.txt'), 'old');
  assert.equal(await code(patch(late, 0, Buffer.from('new'))), [409, 'file_exists']);
  assert.is((await send('HEAD', late, {})).status, 404);
  const at = await begun('taken.txt', 3, { overwrite: 'true' });
  assert.is((await patch(at, 0, Buffer.from('new'))).status, 204);
  assert.equal(
    ['taken.txt', 'late.txt'].map((name) => readFileSync(here(name), 'utf8')),
    ['new', 'old'],
  );
  assert.equal(readdirSync(own()), []);
});

test('a folder changes while a file arrives in it: nothing half, and nothing elsewhere', async () => {
  const elsewhere = bob.account.filesRoot;
  const requests = {
    PUT: async () => ['/api/files/content?path=way/film.bin', {}] as const,
    PATCH: async () => [await begun('way/film.bin', 3 * MIB), { 'Upload-Offset': '0', 'Content-Type': TYPE }] as const,
  };
  const changes: Record<string, () => unknown> = {
    renamed: () => undefined,
    'now a link to elsewhere': () => symlinkSync(elsewhere, here('way')),
    'now a file': () => writeFileSync(here('way'), 'a file'),
    'now another folder': () => mkdirSync(here('way')),
  };
  for (const [method, request] of Object.entries(requests))
    for (const [title, change] of Object.entries(changes)) {
      mkdirSync(here('way'));
      const [path, headers] = await request();
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>();
      const writer = writable.getWriter();
      const reply = send(method, path, headers, { body: readable });
      await writer.write(Buffer.alloc(2 * MIB));
      const isWritten = () => existsSync(own()) && readdirSync(own()).some((name) => statSync(own(name)).size >= MIB);
      await until('a part is on disk', isWritten);
      renameSync(here('way'), here('aside'));
      change();
      await writer.write(Buffer.alloc(MIB));
      await writer.close();
      if (title === 'now another folder') {
        assert.ok((await reply).ok, method);
        assert.is(statSync(here('way/film.bin')).size, 3 * MIB, 'the path leads there now');
      } else assert.equal(await code(reply), [404, 'folder_not_found'], `${method}, ${title}`);
      const left = [here('aside'), own(), elsewhere].map((each) => readdirSync(each).toSorted());
      assert.equal(left, [[], [], ['secret', 'site']], `${method}, ${title}`);
      for (const name of ['way', 'aside']) rmSync(here(name), { recursive: true, force: true });
    }
});

test('whichever step a crash came after, the next request goes on from there', async () => {
  const set = (at: string, state: string) =>
    local().write((tx) =>
      tx.run('update uploads set state = ?, writer = ? where id = ?', state, '1:0 gone', at.slice(UPLOADS.length + 1)),
    );
  const all = await begun('crash-a.txt', 3);
  writeFileSync(fileOf(all), 'abc'); // all arrived
  await set(all, 'open');
  assert.is(await offsetAt(all), 3);
  assert.is(readFileSync(here('crash-a.txt'), 'utf8'), 'abc');
  const linked = await begun('crash-b.txt', 3, { overwrite: 'false' });
  writeFileSync(fileOf(linked), 'abc'); // it has its place, and is in ours as well
  linkSync(fileOf(linked), here('crash-b.txt'));
  await set(linked, 'complete');
  assert.is((await patch(linked, 3, Buffer.alloc(0))).status, 204);
  const moved = await begun('crash-c.txt', 3);
  writeFileSync(fileOf(moved), 'abc'); // it has its place, and nobody wrote that down
  renameSync(fileOf(moved), here('crash-c.txt'));
  await set(moved, 'complete');
  assert.is(await offsetAt(moved), 3);
  const half = await begun('crash-d.txt', 3);
  writeFileSync(fileOf(half), 'a'); // the process is gone that wrote
  await set(half, 'open');
  assert.is((await patch(half, 1, Buffer.from('bc'))).status, 204);
  for (const name of ['b', 'c', 'd']) assert.is(readFileSync(here(`crash-${name}.txt`), 'utf8'), 'abc', name);
  assert.equal(readdirSync(own()), []);
});

test('what a customer puts in place of an upload leads nowhere', async () => {
  const secret = join(bob.account.filesRoot, 'secret');
  for (const [name, put] of [
    ['link', (path: string) => symlinkSync(secret, path)],
    ['pipe', (path: string) => execFileSync('mkfifo', ['--', path])],
    ['folder', (path: string) => mkdirSync(path)],
  ] as const) {
    const at = await begun(`${name}.bin`, 6);
    rmSync(fileOf(at));
    put(fileOf(at));
    if (process.getuid?.() === 0 && name === 'pipe') chownSync(fileOf(at), statSync(own()).uid, statSync(own()).gid);
    assert.equal(await code(patch(at, 0, Buffer.from('hacked'))), [404, 'upload_not_found'], name);
    assert.is((await send('HEAD', at, {})).status, 404, name);
    rmSync(fileOf(at), { recursive: true });
  }
  const other = await begun('other.bin', 6);
  renameSync(own(), here('.hostkeep/aside'));
  symlinkSync(bob.account.filesRoot, here('.hostkeep/uploads'));
  assert.is((await patch(other, 0, Buffer.from('hacked'))).status, 503);
  rmSync(here('.hostkeep/uploads'));
  renameSync(here('.hostkeep/aside'), here('.hostkeep/uploads'));
  const longer = await begun('longer.bin', 6);
  writeFileSync(fileOf(longer), 'much more than that');
  assert.ok([409, 412].includes((await patch(longer, 6, Buffer.alloc(0))).status));
  assert.equal(
    [readFileSync(secret, 'utf8'), readdirSync(bob.account.filesRoot).toSorted()],
    ['of bob', ['secret', 'site']],
  );
});

test('an account begins so many uploads, and its plan has so much room', async () => {
  for (let i = 0; i < 6; i++) await begun(`many-${i}`, 1);
  assert.equal(await code(begin('many-6', 1)), [409, 'uploads_full']);
  const { plans } = server.hostkeep.core;
  await plans.create('tiny', { limits: { disk_limit_mib: 1 } }, ['filemanager', 'disk_usage']);
  const { account, token } = await server.user('tina', 'tiny');
  mkdirSync(account.filesRoot, { recursive: true });
  const open = await begin('open', 2 * MIB, {}, token);
  assert.is(open.status, 201, 'nobody has measured yet');
  const at = open.headers.get('location') ?? '';
  await until('its usage is known', async () => (await begin('x', 2 * MIB, {}, token)).status === 507);
  assert.equal(await code(patch(at, 0, Buffer.alloc(2 * MIB), {}, token)), [507, 'no_space']);
});

test('an upload without progress goes, and what is left of it', async () => {
  const [at, gone] = [await begun('expired.bin', 6), await begun('gone.bin', 6)];
  assert.is((await patch(at, 0, Buffer.from('abc'))).status, 204);
  rmSync(fileOf(gone));
  assert.is((await send('HEAD', gone, {})).status, 404);
  await local().write((tx) => tx.run('update uploads set expires_at = 1'));
  assert.is((await send('HEAD', at, {})).status, 404);
  assert.is((await patch(at, 3, Buffer.from('def'))).status, 404);
  await until('its file is gone', () => readdirSync(own()).length === 0);
  await until('and its row', async () => (await local().all('select id from uploads')).length === 0);
});
