/** What plans leave free where no file system keeps it: each write of ours is compared with what was measured last. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { TestServer, type Person } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';

await needs('files', 'file-batches', 'uploads');
const test = testSuite('room within the plan');
const MIB = 1 << 20;
const FULL = '507 no_space';

let server: TestServer;
test.before(async () => {
  server = await TestServer.start({ config: { quota: { measured_seconds: 1 } } });
});

type Body = Readonly<Record<string, unknown>>;
type Sent = string | Uint8Array | FormData;

/** An account whose plan has these limits and whose files are in a folder, once it was measured. */
async function customer(name: string, limits: Readonly<Record<string, number>>, files: number) {
  await server.hostkeep.core.plans.create(name, { limits }, ['filemanager', 'disk_usage']);
  const who = await server.user(name, name);
  mkdirSync(join(who.account.filesRoot, 'site'), { recursive: true });
  for (let i = 0; i < files; i += 1) writeFileSync(join(who.account.filesRoot, `site/${i}`), '');
  assert.is((await server.ask('/api/disk_inodes', { token: who.token })).status, 200);
  return who;
}

async function send({ token }: Person, method: string, path: string, body: Sent, headers = {}): Promise<string> {
  const init: RequestInit = { method, body, headers: { Authorization: `Bearer ${token}`, ...headers } };
  const answer = await fetch(`${server.hostkeep.url('user')}${path}`, init);
  return answer.ok ? String(answer.status) : `${answer.status} ${String(((await answer.json()) as Body)['error'])}`;
}
const put = (who: Person, name: string, body: Sent) => send(who, 'PUT', `/api/files/content?path=${name}`, body);

function batch(count: number): FormData {
  const form = new FormData();
  form.set('files', JSON.stringify(Array.from({ length: count }, (_, i) => ({ path: `batch-${i}` }))));
  for (let i = 0; i < count; i += 1) form.append('content', new Blob(['x']));
  return form;
}

async function copy({ token }: Person): Promise<unknown> {
  const { body } = await server.ask<Body>('/api/files/copy', {
    token,
    method: 'POST',
    body: { from: 'site', to: 'new' },
  });
  const task = async () => (await server.ask<Body>(`/api/files/tasks/${String(body['id'])}`, { token })).body;
  return (await eventually('it has ended', task, ({ state }) => state !== 'running'))['error'];
}

test('files and folders beyond the plan are refused, however they come', async () => {
  const [root, site, free] = [1, 1, 8];
  const ann = await customer('ann', { inodes_limit: root + site + 10 + free }, 10);
  assert.is(await copy(ann), 'no_space');
  assert.is(await send(ann, 'POST', '/api/files/batch', batch(free + 1)), FULL);
  assert.not.ok(existsSync(join(ann.account.filesRoot, 'new')));
  assert.equal(
    readdirSync(ann.account.filesRoot).filter((name) => name.startsWith('batch')),
    [],
  );

  const ben = await customer('ben', { inodes_limit: 3 }, 3);
  const tus = { 'Tus-Resumable': '1.0.0', 'Upload-Length': '1', 'Upload-Metadata': `path ${btoa('new')}` };
  const json = { 'Content-Type': 'application/json' };
  assert.equal(
    [
      await put(ben, 'new', 'x'),
      await send(ben, 'POST', '/api/uploads', '', tus),
      await send(ben, 'POST', '/api/files/folders', JSON.stringify({ path: 'new' }), json),
    ],
    [FULL, FULL, FULL],
  );
  assert.is(await send(ann, 'POST', '/api/files/folders', JSON.stringify({ path: 'new' }), json), '201');
});

test('what an account has stored counts soon, though nobody looks at its usage', async () => {
  const cleo = await customer('cleo', { disk_limit_mib: 4 }, 0);
  const upload = (name: string) => put(cleo, name, Buffer.alloc(MIB, 'x'));
  assert.equal([await upload('a'), await upload('b'), await upload('c')], ['200', '200', '200']);
  await until('the plan is full', async () => (await upload('d')) === FULL);
});
