import * as assert from '../../support/assert.ts';
import type { HttpError } from '../../../kernel/errors.ts';
import { Throttle } from '../../../plugins/login/throttle/throttle.ts';
import * as rows from '../../../plugins/login/store.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { soleWorker } from '../../../kernel/workers/sole-worker.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('login: store');
let server: TestServer;
test.before(async () => void (server = await TestServer.start()));

const total = async (sql: string, ...params: (string | number)[]) =>
  (await server.hostkeep.core.store.get<{ n: number }>(`select count(*) as n from ${sql}`, ...params))?.n;

test('only a confirmed set-up is turned on, and an active one stays', async () => {
  const { store } = server.hostkeep.core;
  const { id } = await server.account('ann');
  await store.write(async (tx) => {
    assert.ok(await rows.startTwofa(tx, id, 'first', 1));
    assert.ok(await rows.startTwofa(tx, id, 'second', 2));
    assert.not.ok(await rows.enableTwofa(tx, id, 'first', 5, 3, []), 'it was started again meanwhile');
    assert.not.ok(await rows.useStep(tx, id, 'second', 6), 'it is not on yet');
    assert.ok(await rows.enableTwofa(tx, id, 'second', 5, 3, ['hash']));
    assert.not.ok(await rows.startTwofa(tx, id, 'third', 4));
    assert.is((await rows.readTwofa(tx, id))?.secret, 'second');
    assert.not.ok(await rows.useStep(tx, id, 'first', 6), 'a code of an earlier secret');
    assert.not.ok(await rows.useStep(tx, id, 'second', 5), 'it was the first code');
    assert.ok(await rows.useStep(tx, id, 'second', 6));
  });
});

test('a recovery code is used up by its own account only', async () => {
  const { store } = server.hostkeep.core;
  const [{ id: bea }, { id: bob }] = [await server.account('bea'), await server.account('bob')];
  await store.write(async (tx) => {
    for (const id of [bea, bob]) {
      await rows.startTwofa(tx, id, 's', 1);
      await rows.enableTwofa(tx, id, 's', 1, 1, [`hash of ${id}`]);
    }
    assert.not.ok(await rows.useRecoveryCode(tx, bob, `hash of ${bea}`));
  });
});

test('logins, networks and failures are kept up to a limit, the newest ones', async () => {
  const { store } = server.hostkeep.core;
  const { id } = await server.account('cleo');
  await store.write(async (tx) => {
    for (let at = 0; at <= 100; at += 1) await rows.addLogin(tx, id, { at, ip: '::1' }, `network ${at}`);
    // Next comes an id after these, or, where ids come from a sequence, a small one: 400,000 and more after the old one's.
    await tx.run("insert into login_failures (id, budget, at) values (-401500, 'old', 1), (-1000, 'new', 1)");
    await tx.run('update login_failures set at = ?', Date.now());
    await rows.addFailures(tx, ['newest'], Date.now());
  });
  assert.equal([await total('login_history where account_id = ?', id)], [100]);
  assert.equal([await total('known_networks where account_id = ?', id)], [50]);
  for (const [network, isKnown] of [
    ['network 50', false],
    ['network 51', true],
  ] as const)
    assert.equal(await rows.readStanding(store, id, network), { isKnown, unlockedAt: 0 });
  assert.equal([await total("login_failures where budget = 'old'"), await total('login_failures')], [0, 2]);
  assert.equal(await rows.failureTimes(store, 'new', Date.now() - 60_000, 9), [], 'a failure of the future');
  assert.is((await rows.failureTimes(store, 'new', Date.now(), 9)).length, 1);
});

test('no more attempts wait for a budget than may', async () => {
  const limits = { minute: 1, hour: 1, day: 1 };
  const throttle = new Throttle(server.hostkeep.core.store, soleWorker(), { account: limits, address: limits });
  const attempt = { username: 'dan', account: undefined, ip: '192.0.2.1' };
  let finish = () => {};
  const held = new Promise<void>((resolve) => (finish = resolve));
  const guarded = Array.from({ length: 258 }, () =>
    throttle
      .guard(
        attempt,
        () => held,
        async () => {},
      )
      .then(
        () => 'passed',
        (error: HttpError) => error.code,
      ),
  );
  assert.is(await Promise.race(guarded), 'overloaded');
  finish();
  const answers = await Promise.all(guarded);
  const refused = answers.filter((answer) => answer === 'overloaded').length;
  // one runs and 256 wait; where all come at once, the one that runs is among those that wait
  assert.ok(refused === 1 || refused === 2, `${refused} refused`);
});
