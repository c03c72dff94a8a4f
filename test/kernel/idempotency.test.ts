/** Requests that are repeated with their Idempotency-Key. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import * as assert from '../support/assert.ts';
import { temporaryFolder } from '../support/folder.ts';
import { PASSWORD, TestServer, type Answer } from '../support/hostkeep.ts';
import { Maker } from '../support/maker.ts';
import { inFile } from '../support/postgres.ts';
import { testSuite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = testSuite('idempotency');
const KEY = '"8e03978e-40d5-43dd-bc93-6894a57f9324"';

const maker = new Maker();
let server: TestServer;
let ann: string;
let bob: string;
test.before(async () => {
  server = await TestServer.start({ plugins: [maker.plugin] });
  ann = (await server.user('ann')).token;
  bob = (await server.user('bob')).token;
});
test.before.each(() => maker.reset());
test.after.each(() => mock.timers.reset());

const post = (
  name: string,
  key?: string,
  { token = ann, path = '/api/things' } = {},
): Promise<Answer<Record<string, unknown>>> =>
  server.ask(path, {
    token,
    method: 'POST',
    body: path === '/api/secrets' ? undefined : { name },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  });

test('a key that is no string is refused, and nothing is made', async () => {
  for (const key of ['"', '""', '"a', 'a"b', '"a"b"', 'a b', 'a\\b', '"é"', 'x'.repeat(256), `"${'x'.repeat(256)}"`]) {
    const { status, body } = await post('chair', key);
    assert.is(`${status} ${String(body['error'])}`, '400 invalid_request', key);
  }
  assert.equal(maker.made, []);
});

test('where the answer holds a secret, the header is refused', async () => {
  const { status, body } = await post('', KEY, { path: '/api/secrets' });
  assert.is(status, 400);
  assert.match(String(body['detail']), /no copy is kept/);
  assert.is((await post('', undefined, { path: '/api/secrets' })).status, 200);
});

test('the gate stands before the kept answer', async () => {
  assert.is((await post('table', '"gate"')).status, 201);
  await server.hostkeep.core.accounts.setFeature('ann', 'dns', false);
  assert.is((await post('table', '"gate"')).status, 403);
  await server.hostkeep.core.accounts.setFeature('ann', 'dns', undefined);
  assert.is((await post('table', '"gate"', { token: 'none' })).status, 401);
  assert.equal(maker.made, ['table']);
});

test('a key of another body or query is 422', async () => {
  assert.is((await post('lamp', '"lamp"')).status, 201);
  for (const answer of [await post('sofa', '"lamp"'), await post('lamp', '"lamp"', { path: '/api/things?of=oak' })])
    assert.is(`${answer.status} ${String(answer.body['error'])}`, '422 idempotency_key_reused');
  assert.equal(maker.made, ['lamp']);
});

test('a request is answered again as it was, with and without quotes around the key', async () => {
  const first = await post('desk', KEY);
  assert.equal([first.status, first.body], [201, { name: 'desk', count: 1 }]);
  assert.is(first.headers.get('idempotency-replayed'), null);
  await post('other');
  for (const key of [KEY, KEY.slice(1, -1)]) {
    const { status, body, headers } = await post('desk', key);
    assert.equal([status, body, headers.get('content-type')], [201, first.body, 'application/json']);
    assert.is(headers.get('idempotency-replayed'), 'true');
  }
  assert.equal(maker.made, ['desk', 'other']);
});

test('without a key each request counts, and keys of other accounts are others', async () => {
  await post('bed');
  await post('bed');
  await post('bed', '"bed"');
  assert.equal((await post('bed', '"bed"', { token: bob })).body, { name: 'bed', count: 4 });
});

test('an error is not kept: the same key may try again', async () => {
  maker.isBroken = true;
  assert.is((await post('shelf', '"again"')).status, 503);
  maker.isBroken = false;
  assert.is((await post('shelf', '"again"')).status, 201);
  assert.is((await post('shelf', '"again"')).status, 201);
  assert.equal(maker.made, ['shelf', 'shelf']);
});

test('while the first request runs, the same one is 409 and another one 422', async () => {
  const first = post('wait', '"slow"');
  await until('it runs', () => maker.waiting === 1);
  assert.is((await post('wait', '"slow"')).body['error'], 'request_in_progress');
  assert.is((await post('wait', '"slow"')).status, 409);
  assert.is((await post('sofa', '"slow"')).status, 422);
  assert.is((await post('sofa', '"slow"', { token: bob })).status, 201);
  maker.release();
  assert.is((await first).status, 201);
  assert.is((await post('wait', '"slow"')).status, 201);
  assert.equal(maker.made, ['sofa', 'wait']);
});

test('twenty at once make one', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => post('stool', '"crowd"')));
  assert.equal(maker.made, ['stool']);
  assert.ok(answers.every(({ status }) => status === 201 || status === 409));
});

test('after a day a key is new', async () => {
  await post('rug', '"rug"');
  const rows = async () =>
    (await server.hostkeep.core.store.get<{ n: number }>('select count(*) as n from kept_answers'))?.n ?? 0;
  assert.ok((await rows()) > 1);
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 86_400_000 });
  const token = await server.token(await server.hostkeep.core.accounts.get('ann')); // the session has expired
  assert.is((await post('rug', '"rug"', { token })).status, 201);
  assert.equal(maker.made, ['rug', 'rug']);
  assert.is(await rows(), 1, 'those of the day before are gone');
});

// threat leaked-secrets: what was asked and answered is sealed, because a request may hold a password
test('the store keeps no hash of the request, and answers again after a restart', async () => {
  const data = temporaryFolder();
  const product = await TestServer.start({ data, config: inFile });
  const token = (await product.admin()).token;
  const add = (on: TestServer) =>
    on.ask('/api/accounts', {
      token,
      address: 'admin',
      method: 'POST',
      headers: { 'idempotency-key': KEY },
      body: { username: 'carl', plan: 'basic', password: PASSWORD },
    });
  const first = await add(product);
  assert.is(first.status, 201);
  assert.equal((await add(product)).body, first.body);
  const row = await product.hostkeep.core.store.get<Record<string, unknown>>('select * from kept_answers');
  assert.match(String(row?.['answer']), /^[\w-]{100,}$/);
  assert.not.match(JSON.stringify(row), /carl/);
  const store = readFileSync(join(data, 'hostkeep.db-wal'), 'latin1');
  assert.not.ok(store.includes(PASSWORD));
  await product.with().asks('POST /api/login', { username: 'carl', password: PASSWORD }, 200);
  await product.close();
  const again = await TestServer.start({ data, config: inFile });
  assert.equal((await add(again)).body, first.body);
});
