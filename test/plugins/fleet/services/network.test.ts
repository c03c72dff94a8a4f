/** Nodes of a fleet whose packets to the store, or to each other, are dropped. */
import { setTimeout as delay } from 'node:timers/promises';
import * as assert from '../../../support/assert.ts';
import fleetPlugin from '../../../../plugins/fleet/index.ts';
import { TestFleet, type FleetMember } from '../../../support/fleet.ts';
import type { Answer, TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { dropPackets, hasOwnNetwork } from '../../../support/own-network.ts';
import { freePort } from '../../../support/port.ts';
import { Postgres } from '../../../support/postgres.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually } from '../../../support/until.ts';

const STALE_SECONDS = 2;
/** Between two requests of a client: without it, clients would keep the processors from the nodes. */
const PAUSE_MS = 25;
/** Where each node reaches the store, and the other nodes reach it. */
const STORE = { one: '127.0.0.11', two: '127.0.0.12' } as const;
const NODE = { one: '127.0.0.21', two: '127.0.0.22' } as const;
type Name = keyof typeof NODE;
const NO_STORE = 'store_unavailable, retry after 1 s';
const NO_NODE = 'node_unreachable, retry after 1 s';

const together = await needs('login', 'profile', 'files');
if (await hasOwnNetwork(import.meta.filename)) {
  const test = testSuite('fleet network');
  let postgres: Postgres;
  let fleet: TestFleet;
  let servers: Readonly<Record<Name, TestServer>>;
  let tokens: Readonly<Record<'ann' | 'ben', string>>;

  test.before(async () => {
    const port = await freePort();
    postgres = Postgres.start(['fsync=off', `listen_addresses=${Object.values(STORE).join()}`], port);
    fleet = new TestFleet('network', postgres.url);
    const urlFor = (name: Name) => fleet.url.replace(/@.*&port=\d+&/, `@${STORE[name]}:${port}/postgres?`);
    const serve = (name: Name, member: FleetMember) =>
      fleet.serve(member, [...together, fleetPlugin], {
        store: { url: urlFor(name), stale_seconds: STALE_SECONDS },
      });
    const member = await fleet.init('one', undefined, NODE.one);
    const one = await serve('one', member);
    servers = { one, two: await serve('two', await fleet.join(member, 'two', NODE.two)) };
    tokens = { ann: (await one.user('ann')).token, ben: (await servers.two.user('ben')).token };
  });
  test.after(async () => {
    await fleet.close();
    postgres.remove();
  });

  type User = keyof typeof tokens;
  /** Asks a node for what only the home of the account has. */
  const read = async (at: Name, as: User) => answerOf(await servers[at].ask('/api/folders', { token: tokens[as] }));
  /** Changes what is in the store. */
  const change = async (at: Name, as: User, title: string) => {
    const body = { link: '/files', title };
    return answerOf(await servers[at].ask('/api/favorites', { method: 'PUT', token: tokens[as], body }));
  };
  const answerOf = ({ status, body, headers }: Answer<Record<string, unknown>>) =>
    status === 503 ? `${String(body['error'])}, retry after ${headers.get('retry-after')} s` : String(status);
  const becomes = (answer: string, ask: () => Promise<string>) =>
    eventually(`${answer}: ${ask.toString()}`, ask, (last) => last === answer);

  /** Resolves once there is an answer, and goes on every `PAUSE_MS` until it is told to stop; that resolves with the kinds of answers. */
  async function asking(ask: () => Promise<string>): Promise<() => Promise<string[]>> {
    const stopping = new AbortController();
    const kinds = new Set([await ask()]);
    const done = (async () => {
      for (; !stopping.signal.aborted; await delay(PAUSE_MS)) kinds.add(await ask().catch(String));
      return [...kinds].toSorted();
    })();
    return () => {
      stopping.abort();
      return done;
    };
  }

  test('each account is answered by both nodes', async () => {
    for (const at of ['one', 'two'] as const)
      for (const as of ['ann', 'ben'] as const)
        assert.equal([await read(at, as), await change(at, as, at)], ['200', '200']);
  });

  test('a node cut off from the store says so in time and recovers', async () => {
    const own = await asking(() => read('one', 'ann'));
    const writers = await Promise.all([1, 2, 3].map((n) => asking(() => change('two', 'ben', `title ${n}`))));
    const heal = dropPackets(STORE.two);
    try {
      await becomes(NO_STORE, () => change('two', 'ben', 'x'));
      await becomes('200', () => change('one', 'ann', 'x'));
      await becomes(NO_STORE, () => read('two', 'ben')); // what it remembers is good for a time
      await becomes(NO_STORE, () => read('one', 'ben'));
      await becomes(NO_STORE, () => read('two', 'ann'));
    } finally {
      heal();
    }
    await becomes('200', () => read('one', 'ben'));
    await becomes('200', () => change('two', 'ben', 'x'));
    assert.equal(await own(), ['200']);
    for (const stop of writers) assert.equal(await stop(), ['200', NO_STORE]);
  });

  test('a node cut off in a transaction does not hold up the other', async () => {
    let heal = (): void => undefined;
    let goOn = (): void => undefined;
    const waiting = new Promise<void>((resolve) => (goOn = resolve));
    let cut: Promise<unknown> | undefined;
    let attempts = 0;
    await new Promise<void>((resolve) => {
      cut = servers.two.hostkeep.core.store
        .write(async (tx) => {
          await tx.run('update revision set n = n + 1');
          if (attempts++ > 0) return; // it is tried again
          heal = dropPackets(STORE.two);
          resolve();
          await waiting;
          await tx.get('select 1 as n');
        })
        .catch((error: unknown) => error);
    });
    try {
      const { accounts } = servers.one.hostkeep.core;
      await accounts.update('ann', { email: 'ann@one.example' });
      assert.is((await accounts.get('ann')).email, 'ann@one.example');
    } finally {
      heal();
      goOn();
    }
    await cut; // it was tried again, or given up
    await becomes('200', () => change('two', 'ben', 'x'));
  });

  test('nodes cut off from each other refuse in time and find each other again', async () => {
    const own = await Promise.all([
      asking(() => read('one', 'ann')),
      asking(() => read('two', 'ben')),
      asking(() => change('one', 'ben', 'x')),
    ]);
    const forwarded = await Promise.all([1, 2, 3].map(() => asking(() => read('one', 'ben'))));
    await becomes('200', () => read('two', 'ann')); // both have connections that fall silent
    const heals = Object.values(NODE).map(dropPackets);
    try {
      await becomes(NO_NODE, () => read('one', 'ben'));
      await becomes(NO_NODE, () => read('two', 'ann'));
    } finally {
      for (const heal of heals) heal();
    }
    await becomes('200', () => read('one', 'ben'));
    await becomes('200', () => read('two', 'ann'));
    for (const stop of own) assert.equal(await stop(), ['200']);
    for (const stop of forwarded) assert.equal(await stop(), ['200', NO_NODE]);
  });
}
