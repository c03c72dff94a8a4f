import { Readable } from 'node:stream';
import * as assert from '../../support/assert.ts';
import type { Arrival, MovedAccount } from '../../../kernel/contract/points/move-part.ts';
import type { Store } from '../../../kernel/store/store.ts';
import { movePart } from '../../../plugins/logs/mover.ts';
import { addTraffic, trafficByDay } from '../../../plugins/logs/store.ts';
import { firstOfMonth } from '../../../plugins/logs/traffic.ts';
import { codeOf } from '../../support/code-of.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('logs: moves');
const ANN = { id: 7, username: 'ann' };
const BEFORE = '2020-01-01';

let here: Store;
let there: Store;
test.before(async () => {
  const servers = await Promise.all([TestServer.start(), TestServer.start()]);
  [here, there] = servers.map(({ hostkeep }) => hostkeep.core.local) as [Store, Store];
});

const sent = (local: Store, day: string, bytes: number, domainId = 1) =>
  local.write((tx) => addTraffic(tx, { accountId: ANN.id, domainId, day, requests: 1, bytes }));
const moverOf = (local: Store) => movePart(local).mover ?? assert.unreachable();
const arrive = async (account: MovedAccount, text: string) => {
  const { signal } = new AbortController();
  const arrival: Arrival = { name: 'traffic', account, body: Readable.from([Buffer.from(text)]), signal };
  return moverOf(there)?.arrive(arrival);
};

test('what the other node sends is checked', async () => {
  const day = { day: '2026-11-01', requests: 1, bytes: 1 };
  for (const wrong of [
    null,
    {},
    [null],
    [{ ...day, bytes: -1 }],
    [{ ...day, day: '1' }],
    [{ ...day, domain: 1 }],
    Array.from({ length: 32 }, () => day),
  ])
    assert.is(await codeOf(arrive(ANN, JSON.stringify(wrong))), 'invalid_request', JSON.stringify(wrong));
  assert.equal(await trafficByDay(there, ANN.id, BEFORE), []);
});

test('the traffic of this month goes along, once, and the old home forgets it', async () => {
  const today = firstOfMonth();
  await sent(here, '2020-01-02', 1);
  await sent(here, today, 10);
  await sent(here, today, 20, 2);
  await sent(there, today, 5); // from when the account lived there before
  const { signal } = new AbortController();
  const link = { say: () => undefined, signal, ask: async (_: unknown, body: unknown) => arrive(ANN, String(body)) };
  for (let run = 0; run < 2; run++) {
    const leaving = moverOf(here)?.leave(ANN, link);
    await leaving?.begin();
    await leaving?.copy();
    await leaving?.close();
    await leaving?.assertClosed();
    await leaving?.end(run > 0);
    assert.equal(await trafficByDay(there, ANN.id, BEFORE), [{ day: today, requests: 2, bytes: 30 }]);
  }
  await moverOf(here)?.remove(ANN, false);
  assert.equal(await trafficByDay(here, ANN.id, BEFORE), []);
  await moverOf(there)?.discard(ANN);
  assert.equal(await trafficByDay(there, ANN.id, BEFORE), []);
});
