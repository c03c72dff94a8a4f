/** Tests uploads by the client of the protocol's authors, over connections that break. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { DetailedError, Upload } from 'tus-js-client';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { sendByTus } from '../../support/tus-upload.ts';
import { BreakingProxy } from '../../support/breaking-proxy.ts';

const test = testSuite('uploads: resuming');
const MIB = 1 << 20;
const CONTENT = Buffer.from(Array.from({ length: 24 * MIB + 5 }, (_, i) => (i * 7) % 251));
let server: TestServer;
test.before(async () => {
  server = await TestServer.start();
});

test('a connection that breaks nine times costs what was under way, and nothing more', async () => {
  const { account, token } = await server.user('anna');
  mkdirSync(account.filesRoot, { recursive: true });
  const cuts = [100, 700 * 1024, 3 * MIB, 1, 2 * MIB + 3, 4 * MIB, 900, 5 * MIB, 3 * MIB + 1];
  const proxy = await BreakingProxy.start(() => server.hostkeep.url('user'), cuts);
  const options = { endpoint: `${proxy.url}/api/uploads`, metadata: { path: 'film.bin', filename: 'film.bin' } };
  const { accepted } = await sendByTus(CONTENT, token, options);
  assert.equal([proxy.broken, accepted], [9, CONTENT.length]);
  assert.ok(readFileSync(join(account.filesRoot, 'film.bin')).equals(CONTENT));
  assert.equal(readdirSync(join(account.filesRoot, '.hostkeep/uploads')), []);
});

test('in chunks, with the beginning in the creation, and an empty file: all arrive', async () => {
  const { account, token } = await server.user('bert');
  mkdirSync(account.filesRoot, { recursive: true });
  const endpoint = `${server.hostkeep.url('user')}/api/uploads`;
  for (const [path, content, more] of [
    ['chunks.bin', CONTENT.subarray(0, 5 * MIB), { chunkSize: 2 * MIB }],
    ['first.bin', CONTENT.subarray(0, 3 * MIB), { uploadDataDuringCreation: true }],
    ['empty.bin', Buffer.alloc(0), {}],
  ] as const) {
    await sendByTus(content, token, { endpoint, metadata: { path }, ...more });
    assert.ok(readFileSync(join(account.filesRoot, path)).equals(content), path);
  }
});

test('an upload is ended by its client, and refused without the feature', async () => {
  const { account, token } = await server.user('cleo');
  mkdirSync(account.filesRoot, { recursive: true });
  const endpoint = `${server.hostkeep.url('user')}/api/uploads`;
  const upload = await new Promise<Upload>((resolve, reject) => {
    const one: Upload = new Upload(CONTENT, {
      ...{ endpoint, metadata: { path: 'ended.bin' }, headers: { Authorization: `Bearer ${token}` } },
      ...{ chunkSize: MIB, retryDelays: [50, 50, 50, 50, 50, 50, 50, 50] },
      onChunkComplete: () => resolve(one),
      onError: reject,
    });
    one.start();
  });
  await upload.abort(true);
  assert.equal(readdirSync(join(account.filesRoot, '.hostkeep/uploads')), []);
  assert.not.ok(existsSync(join(account.filesRoot, 'ended.bin')));
  await server.hostkeep.core.accounts.setFeature('cleo', 'filemanager', false);
  const refusal = await sendByTus(CONTENT, token, { endpoint, metadata: { path: 'x' }, retryDelays: null }).catch(
    (error: unknown) => error,
  );
  assert.is((refusal as DetailedError).originalResponse?.getStatus(), 403);
});
