import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { createLog } from '../../kernel/log.ts';
import type { ChangeFollower, ChangeSignal } from '../../kernel/store/change-signal.ts';
import { monotonicMs } from '../../kernel/kit/waiting/monotonic.ts';
import { openStore } from '../../kernel/run/data/open-store.ts';
import { Revision } from '../../kernel/store/revision.ts';
import { SignalFile } from '../../kernel/store/signal-file.ts';
import type { Store } from '../../kernel/store/store.ts';
import { Leadership } from '../../kernel/workers/leadership.ts';
import { soleWorker } from '../../kernel/workers/sole-worker.ts';
import { temporaryFolder } from '../support/folder.ts';
import { testConfig, TestServer } from '../support/hostkeep.ts';
import { testSuite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = testSuite('revision');
const ALONE = { leadership: Leadership.alone(), workers: soleWorker() };
let server: TestServer;
test.before(async () => void (server = await TestServer.start({ plugins: [] })));

test('an earlier announcement of a later commit is still noticed', async () => {
  const folder = temporaryFolder();
  let n = 0;
  const held: (() => void)[] = [];
  const storeOf = (afterCommit: (tell: () => void) => void) =>
    ({
      signal: new SignalFile(join(folder, 'revision')),
      graceMs: 0,
      all: async () => [{ n, change: null }],
      write: (work: (tx: unknown) => unknown) => work({ get: async () => ({ n }), afterCommit }),
    }) as unknown as Store;
  const [slow, quick] = [
    new Revision(
      storeOf((tell) => held.push(tell)),
      createLog('silent'),
      () => undefined,
    ),
    new Revision(
      storeOf((tell) => tell()),
      createLog('silent'),
      () => undefined,
    ),
  ];
  const change = async () => void (n += 1);
  slow.look();
  await slow.checking;
  await slow.mutate(change, () => undefined);
  await quick.mutate(change, () => undefined);
  const { generation } = slow;
  for (const tell of held) tell();
  await new Promise((resolve) => setImmediate(resolve));
  slow.look();
  await slow.checking;
  assert.is(slow.generation, generation + 1);
  for (const each of [slow, quick]) each.close();
});

/** Has `write` done in place of the next byte that is written to a file. */
function insteadOfWriting(write: (really: () => number) => number): void {
  const { writeSync } = fs;
  fs.writeSync = ((...args: Parameters<typeof writeSync>) => {
    fs.writeSync = writeSync;
    syncBuiltinESMExports();
    return write(() => writeSync(...args));
  }) as typeof writeSync;
  syncBuiltinESMExports();
}

test("another process's announcement is noticed at once, even on a full disk", async () => {
  const path = join(temporaryFolder(), 'revision');
  const [one, other] = [new SignalFile(path), new SignalFile(path)];
  const look = () => [one, other].map((each) => each.hasMoved());
  assert.equal([look(), look()], [Array(2).fill(true), Array(2).fill(false)]);
  one.announce(5);
  assert.equal(
    [look(), look()],
    [
      [false, true],
      [false, false],
    ],
  );
  for (const isFirst of [true, false]) {
    insteadOfWriting((really) => {
      if (!isFirst) really();
      other.announce(6);
      return isFirst ? really() : 1;
    });
    one.announce(7);
    assert.equal([look(), look()], [Array(2).fill(true), Array(2).fill(false)]);
  }
  insteadOfWriting(() => {
    throw new Error('ENOSPC: no space left on device');
  });
  one.announce(8);
  assert.is(other.hasMoved(), true);
  fs.truncateSync(path, 2 ** 20);
  look();
  one.announce(9);
  assert.equal([fs.statSync(path).size, other.hasMoved()], [0, true]);
  await Promise.all([one.close(), other.close()]);
});

/** A store whose answers come when they are told to, and whose last changes are those of `accounts`. */
class SlowStore {
  n = 0;
  accounts: (number | null)[] = [];
  readonly reads: { resolve: () => void; reject: () => void }[] = [];
  readonly graceMs = 0;
  follower: ChangeFollower | undefined;
  readonly signal: ChangeSignal = {
    follow: async (follower) => void (this.follower = follower),
    hasMoved: () => false,
    announce: () => undefined,
    close: async () => undefined,
  };

  all = (_: string, after: number) => {
    const kept = this.accounts.map((account_id, i) => ({ change: this.n - this.accounts.length + 1 + i, account_id }));
    const newer = kept.filter(({ change }) => change > after);
    const rows = (newer.length === 0 ? [{ change: null }] : newer).map((row) => ({ n: this.n, ...row }));
    return new Promise((resolve, reject) =>
      this.reads.push({ resolve: () => resolve(rows), reject: () => reject(new Error()) }),
    );
  };

  write = (run: (tx: unknown) => unknown) =>
    run({ get: async () => ({ n: this.n }), afterCommit: (tell: () => void) => tell() });

  change(...accounts: (number | null)[]): void {
    this.n += accounts.length;
    this.accounts.push(...accounts);
  }

  async answer(how: 'resolve' | 'reject' = 'resolve'): Promise<void> {
    while (this.reads.length === 0) await new Promise((resolve) => setImmediate(resolve));
    this.reads.shift()?.[how]();
  }
}

/** Starts to follow the changes of a store, which has one that is known; `forgotten` gathers accounts. */
async function followed(): Promise<{ store: SlowStore; revision: Revision; forgotten: number[] }> {
  const [store, forgotten] = [new SlowStore(), [] as number[]];
  store.change(1);
  const revision = new Revision(store as unknown as Store, createLog('silent'), (id) => forgotten.push(id));
  const following = revision.follow(ALONE);
  await store.answer();
  await following;
  return { store, revision, forgotten };
}

test('an uncertain revision invalidates caches and holds requests until it is read', async () => {
  const { store, revision, forgotten } = await followed();
  const checked = async (how?: 'resolve' | 'reject') => {
    const check = revision.check();
    await store.answer(how);
    await check;
    return revision.generation;
  };
  const mutate = () =>
    revision.mutate(
      async () => store.change(2),
      () => undefined,
    );
  let { generation } = revision;
  assert.is(generation, 1, 'at the start, nothing is known');
  assert.is(await checked(), generation, 'nothing has changed');
  await mutate();
  assert.equal([revision.generation, await checked()], [generation, generation], 'an own change is known');
  store.change(3);
  await mutate();
  assert.ok(revision.checking, 'another process made a change before the own one');
  await store.answer();
  await revision.checking;
  assert.equal([revision.generation, forgotten], [generation, [3, 2]]);
  assert.is(await checked('reject'), (generation += 1), 'the store did not answer');
  assert.is(await checked(), generation);
  store.change(4, null);
  assert.is(await checked(), (generation += 1), 'a change of all accounts');
  store.n += 1;
  assert.is(await checked(), (generation += 1), 'a change that is not in the list');
  store.n -= 2;
  assert.is(await checked(), (generation += 1), 'the store went back');
  const first = revision.check();
  while (store.reads.length === 0) await undefined;
  const [second, third] = [revision.check(), revision.check()];
  assert.is(second, third, 'what has not begun serves all who ask');
  await store.answer();
  await first;
  assert.ok(revision.checking, 'the second check is still in progress');
  await store.answer();
  await second;
  assert.is(revision.checking, undefined);
  await revision.close();
});

test('a change with an account forgets only that account, unless one is missing', async () => {
  const { store, revision, forgotten } = await followed();
  const { generation } = revision;
  const tell = (...accounts: (number | null)[]) => {
    for (const accountId of accounts) {
      store.change(accountId);
      store.follower?.moved({ n: store.n, accountId });
    }
  };
  tell(7, 8);
  assert.equal([forgotten.splice(0), revision.checking, revision.generation], [[7, 8], undefined, generation]);
  store.follower?.moved({ n: store.n, accountId: 8 });
  assert.equal([forgotten, revision.checking], [[], undefined], 'it is told twice');
  store.change(9);
  tell(10);
  assert.ok(revision.checking, 'one was not told');
  await store.answer();
  await revision.checking;
  assert.equal([forgotten.splice(0), revision.generation], [[9, 10], generation]);
  const slow = revision.check();
  while (store.reads.length === 0) await undefined;
  tell(11);
  await store.answer();
  await slow;
  assert.equal([forgotten.splice(0), revision.generation], [[11], generation], 'an answer from before it is none');
  tell(null);
  assert.equal([forgotten, revision.generation], [[], generation + 1]);
  const asked = revision.check();
  while (store.reads.length === 0) await undefined;
  store.follower?.replaced();
  await store.answer();
  await asked;
  assert.ok(revision.checking, 'the answer may be that of another database');
  await store.answer();
  await revision.checking;
  assert.equal([forgotten, revision.generation], [[], generation + 2]);
  await revision.close();
});

test('a look of another process confirms what is known, and anything else is read', async () => {
  const { store, revision, forgotten } = await followed();
  const { generation } = revision;
  store.follower?.confirmed(store.n, monotonicMs());
  assert.is(revision.checking, undefined);
  store.change(5);
  for (const n of [store.n, store.n - 2]) {
    store.follower?.confirmed(n, monotonicMs());
    assert.ok(revision.checking, 'a change, or an older database');
    await store.answer();
    await revision.checking;
  }
  assert.equal([forgotten, revision.generation], [[5], generation]);
  await revision.close();
});

test('each change names its account or all of them; the list is bounded', async () => {
  const { accounts, plans, sessions, store, tokens } = server.hostkeep.core;
  const revisionOf = async () => (await store.get<{ n: number }>('select n from revision'))?.n ?? 0;
  const { account } = await server.user('ines');
  const { id } = account;
  const changedBy = async (change: () => Promise<unknown>) => {
    const before = await revisionOf();
    await change();
    const rows = await store.all<{ n: number; account_id: number | null }>(
      'select n, account_id from revision_changes where n > ? order by n',
      before,
    );
    assert.equal(
      rows.map(({ n }) => n - before),
      rows.map((_, i) => i + 1),
    );
    assert.is(before + rows.length, await revisionOf());
    return rows.map(({ account_id: accountId }) => accountId);
  };
  const token = () =>
    tokens.make(
      account,
      { name: 't', scopes: ['dns:read', 'dns:write'], networks: [], expiresAt: Date.now() + 60_000 },
      '',
    );
  assert.equal(await changedBy(() => server.token(account)), []);
  assert.equal(await changedBy(token), []);
  assert.equal(await changedBy(() => accounts.update('ines', { locale: 'de' })), [id]);
  assert.equal(
    await changedBy(() => accounts.setFeature('ines', 'dns', false)),
    [id, id, id, id],
    'and its token ends',
  );
  assert.equal(await changedBy(() => accounts.setFeature('ines', 'dns', true)), [id]);
  assert.equal(await changedBy(() => plans.setFeature('basic', 'waf', true)), [null]);
  assert.equal(await changedBy(() => plans.update('basic', { limits: { cpu_limit: 3 } })), [null]);
  await token();
  assert.equal(await changedBy(() => tokens.endAll(account, '')), [id], 'not of the scopes that go with it');
  assert.equal(await changedBy(() => sessions.endOthers(account, '', '')), [id, id]);
  await token();
  await server.token(account);
  const removal = await changedBy(() => accounts.remove('ines'));
  assert.ok(removal.length > 0 && removal.every((each) => each === id), String(removal));
  await server.account('lena');
  await store.write(async (tx) => {
    for (let i = 0; i < 1100; i += 1) await tx.run("update accounts set locale = 'en' where username = 'lena'");
  });
  const { n } = (await store.get<{ n: number }>('select count(*) as n from revision_changes')) ?? { n: 0 };
  assert.is(n, 1000);
});

test('a change by a process that died before it announced it is noticed soon', async () => {
  const { accounts, revision } = server.hostkeep.core;
  const { id } = await server.account('dora');
  const other = await openStore(server.data, testConfig(server.data).store);
  try {
    await revision.check();
    const { generation } = revision;
    await accounts.byId(id);
    assert.ok(accounts.cells.of(id).account);
    await other.write((tx) => tx.run("update accounts set locale = 'de' where username = 'dora'"));
    await until('the change is noticed', async () => accounts.cells.of(id).account === undefined);
    assert.is(revision.generation, generation, 'nothing is forgotten about other accounts');
  } finally {
    await other.close();
  }
});
