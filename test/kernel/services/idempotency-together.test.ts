/**
 * Requests that are repeated with their Idempotency-Key on another node of those that share a store.
 *
 */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { Maker } from '../../support/maker.ts';
import { ownSchema } from '../../support/postgres.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';

const test = testSuite('idempotency together');
const maker = new Maker();
let one: TestServer;
let two: TestServer;
let token: string;
test.before(async () => {
  const store = { url: ownSchema('together') };
  const [folder, other] = [temporaryFolder(), temporaryFolder()];
  one = await TestServer.start({ plugins: [maker.plugin], data: folder, config: { store } });
  token = (await one.user('ann')).token;
  copyFileSync(join(folder, 'keys.json'), join(other, 'keys.json'));
  two = await TestServer.start({ plugins: [maker.plugin], data: other, config: { store } });
});
test.before.each(() => maker.reset());
test.after(async () => {
  await Promise.all([one, two].map((each) => each.close()));
});

async function post(server: TestServer, name: string, key: string): Promise<string> {
  const headers = { 'idempotency-key': key };
  const { status, body } = await server.ask('/api/things', { token, method: 'POST', body: { name }, headers });
  return `${status} ${String(body['error'] ?? body['name'])}`;
}

test('a request in progress is 409 on the other node, a different one 422', async () => {
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

test("a dead node's key is free after a minute, and its late answer is not kept", async () => {
  const { store, leases } = one.hostkeep.core;
  const first = post(one, 'wait', 'long');
  await until('it runs', () => maker.waiting === 1);
  await leases.close();
  assert.is(await post(two, 'wait', 'long'), '409 request_in_progress');
  const lasts = await store.get<{ ms: number }>(
    `select until - ${store.nowMs} as ms from leases where name like 'request %'`,
  );
  assert.ok(lasts !== undefined && lasts.ms > 30_000 && lasts.ms <= 60_000);
  await store.write((tx) => tx.run("update leases set until = 0 where name like 'request %'"));
  const second = post(two, 'wait', 'long');
  await until('it runs again', () => maker.waiting === 2);
  maker.release();
  assert.equal([await first, await second], ['201 wait', '201 wait']);
  assert.is(await post(two, 'wait', 'long'), '201 wait');
  assert.equal(maker.made, ['wait', 'wait']);
});
