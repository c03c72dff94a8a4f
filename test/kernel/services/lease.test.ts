/**
 * Leases, on both engines.
 *
 */
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { projectDir } from '../../../kernel/kit/files/project-dir.ts';
import { createLog } from '../../../kernel/log.ts';
import { Leases, type Lease } from '../../../kernel/store/lease.ts';
import { migrate } from '../../../kernel/store/migrate.ts';
import { openStore } from '../../../kernel/run/data/open-store.ts';
import type { Store } from '../../../kernel/store/store.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testConfig } from '../../support/hostkeep.ts';
import { ownSchema } from '../../support/postgres.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';

const test = testSuite('leases');
/** Long for what only ends by itself, short for what a test waits for. */
const [LONG_MS, SHORT_MS] = [60_000, 600];
const log = createLog('silent');
const stores: Record<string, Store> = {};
const opened: Leases[] = [];
test.before(async () => {
  for (const [engine, url] of Object.entries({ SQLite: '', PostgreSQL: ownSchema('leases') })) {
    const data = temporaryFolder();
    stores[engine] = await openStore(data, testConfig(data, { store: { url } }).store);
  }
  for (const store of Object.values(stores))
    await migrate(store, 'kernel', join(projectDir, 'kernel/store/migrations'));
});
test.after(async () => {
  for (const leases of opened) await leases.close();
  for (const store of Object.values(stores)) await store.close();
});

/** The leases of a process of a node, and what cuts it from the store. */
function at(here: string, store: Store) {
  let isCut = false;
  const write = ((work) => (isCut ? Promise.reject(new Error('cut')) : store.write(work))) as Store['write'];
  const leases = new Leases({ store: { nowMs: store.nowMs, write } as Store, here, log, lookMs: 20 });
  opened.push(leases);
  return { leases, cut: (now: boolean) => (isCut = now) };
}

const got = (lease: Lease | undefined): Lease => {
  assert.ok(lease, 'it is free');
  return lease;
};

type Case = readonly [title: string, run: (store: Store) => Promise<void>];
const cases: readonly Case[] = [
  [
    'a lease that is held is refused, in the same process and at another node, until it is released',
    async (store) => {
      const [one, two] = [at('one', store).leases, at('two', store).leases];
      const lease = got(await one.acquire('a', LONG_MS));
      for (const each of [one, two]) assert.is(await each.acquire('a', LONG_MS), undefined);
      assert.is(await two.holder(store, 'a'), lease.holder);
      assert.ok(await two.acquire('another', LONG_MS));
      assert.ok(lease.isHeld);
      await lease.release();
      assert.not.ok(lease.isHeld);
      assert.is(await two.holder(store, 'a'), undefined);
      assert.ok(await two.acquire('a', LONG_MS));
      await lease.release();
      assert.is(await one.acquire('a', LONG_MS), undefined, 'releasing it again frees nothing of another');
    },
  ],
  [
    'of twenty that want it at once, one gets it',
    async (store) => {
      const nodes = Array.from({ length: 20 }, (_, i) => at(`n${i % 5}`, store).leases);
      const leases = await Promise.all(nodes.map((each) => each.acquire('crowd', LONG_MS)));
      assert.is(leases.filter((lease) => lease !== undefined).length, 1);
    },
  ],
  [
    'it is renewed for as long as it is held',
    async (store) => {
      const [one, two] = [at('one', store), at('two', store)];
      const lease = got(await one.leases.acquire('b', SHORT_MS));
      const end = performance.now() + 3 * SHORT_MS;
      while (performance.now() < end) {
        assert.is(await two.leases.acquire('b', LONG_MS), undefined);
        assert.ok(await store.write((tx) => lease.isOurs(tx)));
      }
      assert.not.ok(lease.signal.aborted);
    },
  ],
  [
    'one whose holder is silent is free after its time, not before; the holder knows sooner, and is told when it is back',
    async (store) => {
      const [one, two] = [at('one', store), at('two', store)];
      const lease = got(await one.leases.acquire('c', SHORT_MS));
      one.cut(true);
      let taken: Lease | undefined;
      await until('another takes it', async () => {
        taken = await two.leases.acquire('c', LONG_MS);
        return taken !== undefined;
      });
      assert.not.ok(lease.isHeld);
      assert.not.ok(lease.signal.aborted);
      assert.not.ok(await store.write((tx) => lease.isOurs(tx)));
      one.cut(false);
      await until('it is told', () => lease.signal.aborted);
      await lease.release();
      assert.ok(await store.write((tx) => got(taken).isOurs(tx)));
    },
  ],
  [
    'one that nobody took meanwhile is its own again',
    async (store) => {
      const one = at('one', store);
      const lease = got(await one.leases.acquire('d', SHORT_MS));
      one.cut(true);
      await until('it may be lost', () => !lease.isHeld);
      one.cut(false);
      await until('it is held', () => lease.isHeld);
      assert.not.ok(lease.signal.aborted);
    },
  ],
  [
    'one of a process that has ended is free at once at its node, and elsewhere after its time',
    async (store) => {
      await store.write((tx) =>
        tx.run(
          `insert into leases (name, holder, ttl_ms, until) values ('e', 'one 1:1 x', 60000, ${store.nowMs} + 60000)`,
        ),
      );
      assert.is(await at('two', store).leases.acquire('e', LONG_MS), undefined);
      assert.ok(await at('one', store).leases.acquire('e', LONG_MS));
    },
  ],
  [
    'a transaction that fails neither takes nor releases one',
    async (store) => {
      const one = at('one', store).leases;
      const fail = (work: Promise<unknown>) =>
        work.then(
          () => assert.unreachable(),
          (error: Error) => assert.is(error.message, 'undone'),
        );
      await fail(
        store.write(async (tx) => {
          await one.acquire('f', LONG_MS, tx);
          throw new Error('undone');
        }),
      );
      const lease = got(await one.acquire('f', LONG_MS));
      await fail(
        store.write(async (tx) => {
          await lease.release(tx);
          throw new Error('undone');
        }),
      );
      assert.ok(lease.isHeld);
      await store.write((tx) => lease.release(tx));
      assert.not.ok(lease.isHeld);
      assert.is(await one.holder(store, 'f'), undefined);
    },
  ],
];

for (const engine of ['SQLite', 'PostgreSQL'])
  for (const [title, run] of cases) test(`${engine}: ${title}`, () => run(stores[engine] as Store));
