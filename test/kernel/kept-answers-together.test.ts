/**
 * Requests that are repeated with their Idempotency-Key on another node of those that share a store.
 *
 * @slow 15 s: a server of PostgreSQL
 */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import * as assert from 'uvu/assert';
import { temporaryFolder } from '../support/folder.ts';
import { TestServer } from '../support/hostkeep.ts';
import { Maker } from '../support/maker.ts';
import { Postgres, schemaAt } from '../support/postgres.ts';
import { testSuite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = testSuite('kept answers together');
const maker = new Maker();
let database: Postgres;
let one: TestServer;
let two: TestServer;
let token: string;
test.before(async () => {
  database = Postgres.start(['fsync=off']);
  const store = { url: schemaAt(database.url, 'together') };
  const [folder, other] = [temporaryFolder(), temporaryFolder()];
  one = await TestServer.start({ plugins: [maker.plugin], data: folder, config: { store } });
  token = (await one.user('ann')).token;
  copyFileSync(join(folder, 'keys.json'), join(other, 'keys.json'));
  two = await TestServer.start({ plugins: [maker.plugin], data: other, config: { store } });
});
test.before.each(() => maker.reset());
test.after.each(() => mock.timers.reset());
test.after(async () => {
  await Promise.all([one, two].map((each) => each.close()));
  database.remove();
});

async function post(server: TestServer, name: string, key: string): Promise<string> {
  const headers = { 'idempotency-key': key };
  const { status, body } = await server.ask('/api/things', { token, method: 'POST', body: { name }, headers });
  return `${status} ${String(body['error'] ?? body['name'])}`;
}

const keptAt = async (key: string) =>
  (await one.hostkeep.core.store.get<{ at: number }>('select kept_at as at from kept_answers where key = ?', key))?.at;

test('while a request runs on one node, the same one is 409 on the other, and another one 422; then it is answered again', async () => {
  const first = post(one, 'wait', 'slow');
  await until('it runs', () => maker.waiting === 1);
  assert.is(await post(two, 'wait', 'slow'), '409 request_in_progress');
  assert.is(await post(two, 'chair', 'slow'), '422 idempotency_key_reused');
  maker.release();
  assert.is(await first, '201 wait');
  assert.is(await post(two, 'wait', 'slow'), '201 wait');
  assert.equal(maker.made, ['wait']);
});

test('twenty at once on both nodes make one', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => post(i % 2 === 0 ? one : two, 'bed', 'crowd')),
  );
  assert.equal(maker.made, ['bed']);
  assert.equal([...new Set(answers)].toSorted().at(0), '201 bed');
  assert.ok(answers.every((each) => each === '201 bed' || each === '409 request_in_progress'));
});

test('after an error the other node may try again', async () => {
  maker.isBroken = true;
  assert.is(await post(one, 'shelf', 'again'), '503 feature_unavailable');
  assert.is(await post(two, 'shelf', 'again'), '503 feature_unavailable');
  maker.isBroken = false;
  assert.is(await post(two, 'lamp', 'again'), '201 lamp');
  assert.equal(maker.made, ['shelf', 'shelf', 'lamp']);
});

test('a request that runs for long keeps its key, and that of a node that died is free after two minutes', async () => {
  mock.timers.enable({ apis: ['Date', 'setInterval'], now: Date.now() });
  const first = post(one, 'wait', 'long');
  await until('it runs', () => maker.waiting === 1);
  for (let i = 0; i < 10; i += 1) {
    mock.timers.tick(20_000);
    await until('it says so', async () => (await keptAt('long')) === Date.now());
  }
  assert.is(await post(two, 'wait', 'long'), '409 request_in_progress');
  const died = Date.now();
  mock.timers.reset();
  mock.timers.enable({ apis: ['Date'], now: died + 119_000 });
  assert.is(await post(two, 'wait', 'long'), '409 request_in_progress');
  mock.timers.setTime(died + 120_000);
  const second = post(two, 'wait', 'long');
  await until('it runs again', () => maker.waiting === 2);
  maker.release();
  assert.equal([await first, await second], ['201 wait', '201 wait']);
});
