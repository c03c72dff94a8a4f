import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { TestServer, type Person } from '../../support/hostkeep.ts';
import { rawConnection } from '../../support/raw.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';

const test = testSuite('file batches');
const MIB = 1 << 20;

let server: TestServer;
let ann: Person;
let bob: Person;
test.before(async () => {
  server = await TestServer.start({ config: { quota: { measured_seconds: 1 } } });
  [ann, bob] = [await server.user('anna'), await server.user('bob')];
  for (const { account } of [ann, bob]) mkdirSync(join(account.filesRoot, 'site'), { recursive: true });
});

interface File {
  readonly path: string;
  readonly overwrite?: boolean;
  readonly content: string | Uint8Array<ArrayBuffer>;
}
type Reply = Readonly<Record<string, unknown>> & {
  readonly results?: readonly { readonly path: string; readonly error: string | null }[];
};
const here = (path: string) => join(ann.account.filesRoot, path);
const incomplete = () => readdirSync(here('.hostkeep/uploads'));

function form(files: readonly File[]): FormData {
  const made = new FormData();
  made.append('files', JSON.stringify(files.map(({ path, overwrite }) => ({ path, overwrite }))));
  for (const { content } of files) made.append('content', new Blob([content]), 'content');
  return made;
}

async function send(body: FormData | string, { token }: Pick<Person, 'token'> = ann, headers = {}) {
  const answer = await fetch(`${server.hostkeep.url('user')}/api/files/batch`, {
    method: 'POST',
    body,
    headers: { Authorization: `Bearer ${token}`, ...headers },
  });
  return { status: answer.status, body: (await answer.json()) as Reply };
}

const refusal = async (body: FormData | string, by = ann, headers = {}) => {
  const { status, body: reply } = await send(body, by, headers);
  return `${status} ${String(reply['error'])}`;
};
/** Resolves with the code of the error for each file, `null` for one that has its place. */
const errorsFor = async (...files: File[]) => (await send(form(files))).body.results?.map(({ error }) => error);

test('what is no list of files with their contents is refused', async () => {
  const other = new FormData();
  other.append('files', '[{"path":"a"}]');
  other.append('content', 'of no file');
  const listed = (files: string) => {
    const made = new FormData();
    made.append('files', files);
    made.append('content', new Blob(['x']), 'content');
    return made;
  };
  const many = JSON.stringify(Array.from({ length: 201 }, (_, i) => ({ path: `${i}` })));
  const lists = ['', '{', '{}', '[]', 'null', '[null]', '["a"]', '[{}]', '[{"path":1}]', '[{"path":"a","mode":"777"}]'];
  const bodies = [...lists, '[{"path":"a","overwrite":"no"}]', '[{"path":"a"},{"path":"b"}]', many].map(listed);
  for (const body of [...bodies, other, new FormData()]) assert.is(await refusal(body), '400 invalid_request');
  const type = { 'Content-Type': 'multipart/form-data; boundary=x' };
  for (const body of [
    '',
    'x',
    '--x',
    '--x\r\n\r\n--x--',
    '--y\r\nContent-Disposition: form-data; name="files"\r\n\r\n[]\r\n--y--',
  ])
    assert.is(await refusal(body, ann, type), '400 invalid_request', body);
  assert.is(await refusal('[]', ann, { 'Content-Type': 'application/json' }), '400 invalid_request');
  assert.equal(readdirSync(here('')), ['site']);
});

test('what is too much changes nothing', async () => {
  const large = new Uint8Array(MIB);
  assert.is(
    await refusal(
      form([
        { path: 'a', content: large },
        { path: 'b', content: large },
      ]),
    ),
    '413 batch_too_large',
  );
  const socket = await rawConnection(server.hostkeep.url('user'));
  const head = `POST /api/files/batch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ann.token}\r\n`;
  socket.write(`${head}Content-Type: multipart/form-data; boundary=x\r\nTransfer-Encoding: chunked\r\n\r\n`);
  for (let i = 0; i < 3; i += 1) socket.write(`${MIB.toString(16)}\r\n${'-'.repeat(MIB)}\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  assert.match(answer.toString(), '413');

  const { plans } = server.hostkeep.core;
  await plans.create('tiny', { limits: { disk_limit_mib: 1 } }, ['filemanager', 'disk_usage']);
  const tina = await server.user('tina', 'tiny');
  mkdirSync(tina.account.filesRoot, { recursive: true });
  const filled = form([
    { path: 'first', content: large },
    { path: 'second', content: 'x' },
  ]);
  await until('its usage is known', async () => (await refusal(filled, tina)) === '507 no_space');
  const again = form([{ path: 'second', content: 'x' }]);
  await until('what it stored is known', async () => (await refusal(again, tina)) === '507 no_space');
  assert.is(await refusal(form([{ path: 'third', content: 'x' }]), tina), '507 no_space');
  assert.not.ok(existsSync(join(tina.account.filesRoot, 'third')));
  assert.equal(readdirSync(here('')), ['site']);
});

test('each file has its place or says why not', async () => {
  const binary = Uint8Array.from({ length: 70_000 }, (_, i) => i % 251);
  symlinkSync(bob.account.filesRoot, here('link'));
  writeFileSync(here('there'), 'before');
  const files = [
    { path: 'site/a "quoted" %22 name; ü.txt', content: 'one\r\n--two' },
    { path: '/var/www/html/b.bin', content: binary },
    { path: 'there', content: 'after', overwrite: false },
    { path: 'nowhere/c', content: 'c' },
    { path: '../bob/site/d', content: 'd' },
    { path: '.hostkeep/uploads/e', content: 'e' },
    { path: 'link/f', content: 'f' },
    { path: 'site', content: 'g' },
    { path: '', content: 'h' },
    { path: 'empty', content: '' },
    { path: 'twice', content: 'first' },
    { path: 'twice', content: 'second', overwrite: false },
  ];
  const expected = [
    ...[null, null, 'file_exists', 'folder_not_found', 'invalid_path', 'invalid_path', 'folder_not_found'],
    ...['file_exists', 'invalid_path', null, null, 'file_exists'],
  ];
  assert.equal(await errorsFor(...files), expected);
  assert.is(readFileSync(here('site/a "quoted" %22 name; ü.txt'), 'utf8'), 'one\r\n--two');
  assert.ok(readFileSync(here('b.bin')).equals(binary));
  assert.equal(
    ['there', 'empty', 'twice'].map((name) => readFileSync(here(name), 'utf8')),
    ['before', '', 'first'],
  );
  assert.is(statSync(here('b.bin')).mode & 0o777, 0o644);
  assert.equal(readdirSync(bob.account.filesRoot).toSorted(), ['site']);
  assert.equal(incomplete(), []);
  assert.equal(await errorsFor({ path: 'there', content: 'after' }), [null]);
  assert.is(readFileSync(here('there'), 'utf8'), 'after');
});

test('a request that breaks off changes nothing', async () => {
  const socket = await rawConnection(server.hostkeep.url('user'));
  const whole = Buffer.from(await new Response(form([{ path: 'broken', content: 'x'.repeat(9000) }])).arrayBuffer());
  const boundary = whole.subarray(2, whole.indexOf('\r\n')).toString();
  const head = `POST /api/files/batch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ann.token}\r\n`;
  const type = `Content-Type: multipart/form-data; boundary=${boundary}\r\n`;
  socket.write(`${head}${type}Content-Length: ${whole.length + 1}\r\n\r\n`);
  socket.write(whole);
  const closed = once(socket, 'close');
  socket.destroy();
  await closed;
  assert.equal(await errorsFor({ path: 'next', content: '' }), [null]);
  assert.equal([existsSync(here('broken')), existsSync(here('next'))], [false, true]);
});
