import * as assert from '../support/assert.ts';
import { openCore } from '../../kernel/run/core.ts';
import { createLog } from '../../kernel/log.ts';
import type { Store } from '../../kernel/store/store.ts';
import { testConfig, TestServer } from '../support/hostkeep.ts';
import { probePlugin } from '../support/probe.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('sessions');
let server: TestServer;
test.before(async () => void (server = await TestServer.start({ plugins: [probePlugin()] })));

const statusOf = async (token: string) => (await server.ask('/probe/mine', { token })).status;
const revisionOf = async ({ store }: { store: Store } = server.hostkeep.core) =>
  (await store.get<{ n: number }>('select n from revision'))?.n;

/** Resolves in another millisecond, so that what is made next is newer. */
async function nextMillisecond(): Promise<void> {
  for (const now = Date.now(); Date.now() === now;) await new Promise((resolve) => setImmediate(resolve));
}

/** Adds rows of sessions of an account; the first is the oldest. */
async function addRows(store: Store, accountId: number, count: number, expiresAt: number): Promise<void> {
  await store.write(async (tx) => {
    for (let i = 0; i < count; i += 1)
      await tx.run(
        'insert into sessions (id, account_id, created_at, expires_at, ip, user_agent) values (?, ?, ?, ?, ?, ?)',
        `${accountId}-${i}`,
        accountId,
        1_700_000_000_000 + i,
        expiresAt,
        '',
        '',
      );
  });
}

// threat weak-limiter: an account has at most 100 sessions
// asvs 15.2.2: no list of sessions is long
test('an account keeps its newest hundred sessions; older tokens end at once', async () => {
  const { revision, sessions } = server.hostkeep.core;
  const { account, token: oldest } = await server.user('ann');
  await nextMillisecond();
  const second = await server.token(account);
  await nextMillisecond();
  const bystander = await server.user('bea');
  for (let i = 2; i < 100; i += 1) await server.token(account);
  assert.equal([await statusOf(oldest), await statusOf(second)], [200, 200]);
  assert.is((await sessions.list(account.id)).length, 100);
  const other = await openCore(testConfig(server.data), createLog('silent'));
  try {
    assert.ok(await other.sessions.resolve(`Bearer ${oldest}`));
    const { generation } = revision;
    const newest = await server.token(account);
    assert.equal([await statusOf(oldest), await statusOf(second), await statusOf(newest)], [401, 200, 200]);
    assert.is(await other.sessions.resolve(`Bearer ${oldest}`), undefined, 'in other processes too');
    assert.is(await statusOf(bystander.token), 200);
    assert.is(revision.generation, generation, 'nothing is forgotten about other accounts');
    assert.is((await sessions.list(account.id)).length, 100);
  } finally {
    await other.close();
  }
});

test('a login after the clock was set back has a session', async () => {
  const { sessions } = server.hostkeep.core;
  const account = await server.account('cleo');
  for (let i = 0; i < 100; i += 1) await server.token(account);
  const real = Date.now;
  try {
    Date.now = () => real() - 60_000;
    const late = await server.token(account);
    assert.is(await statusOf(late), 200);
    assert.is((await sessions.list(account.id)).length, 100);
  } finally {
    Date.now = real;
  }
});

test('pages hold each session once, newest first, also while sessions end', async () => {
  const { sessions } = server.hostkeep.core;
  const { id } = await server.account('dora');
  await addRows(server.hostkeep.core.store, id, 7, Date.now() + 60_000);
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { rows, next }: Awaited<ReturnType<typeof sessions.page>> = await sessions.page(id, 3, cursor);
    seen.push(...rows.map((row) => row.id));
    await sessions.end({ id, username: 'dora' }, rows.at(-1)?.id ?? '', '');
    cursor = next;
  }
  assert.equal(
    seen,
    [6, 5, 4, 3, 2, 1, 0].map((i) => `${id}-${i}`),
  );
  for (const bad of ['x', '1', '.x', '1.', '1.x.y', "1.x'", '-1.x', `${'1'.repeat(16)}.x`])
    assert.is(await sessions.page(id, 3, bad).catch((error: { code: string }) => error.code), 'invalid_request', bad);
});

test('expired sessions are neither listed nor counted, and then removed', async () => {
  const { revision, sessions, store, sweeper } = server.hostkeep.core;
  const account = await server.account('eva');
  await addRows(store, account.id, 1200, Math.floor(Date.now() / 1000) * 1000);
  const rows = async () =>
    (await store.get<{ n: number }>('select count(*) as n from sessions where account_id = ?', account.id))?.n;
  const before = { revision: await revisionOf(), generation: revision.generation, count: await sessions.count() };
  assert.equal(await sessions.list(account.id), []);
  let writes = 0;
  const { write } = store;
  store.write = (work) => {
    writes += 1;
    return write.call(store, work) as ReturnType<typeof work>;
  };
  await sweeper.sweep();
  store.write = write;
  assert.is(await rows(), 0);
  assert.is(writes, 3, 'in transactions of 500');
  await server.token(account);
  assert.equal([await revisionOf(), revision.generation], [before.revision, before.generation]);
  assert.is(await sessions.count(), before.count + 1);
});
