/**
 * Nodes whose store is a primary of PostgreSQL with a synchronous standby, which takes over.
 *
 */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as assert from '../../../support/assert.ts';
import { openCore, type Core } from '../../../../kernel/run/core.ts';
import { HttpError } from '../../../../kernel/errors.ts';
import { createLog } from '../../../../kernel/log.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { testConfig } from '../../../support/hostkeep.ts';
import { PostgresPair } from '../../../support/postgres-pair.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

const test = testSuite('failover');
const SETTINGS = ['fsync=off'];
let pair: PostgresPair;
let opened: Core[] = [];
test.before(async () => void (pair = await PostgresPair.start(SETTINGS)));
test.after.each(async () => {
  const closing = opened.map((each) => each.close());
  opened = [];
  await Promise.all(closing);
});
test.after(() => pair.remove());

const isUnavailable = (error: unknown) => error instanceof HttpError && error.code === 'store_unavailable';

/** Nodes that share a store, each with a data folder of its own; `staleSeconds` has one for each. */
async function nodes(schema: string, ...staleSeconds: number[]): Promise<Core[]> {
  const [first = temporaryFolder(), ...others] = staleSeconds.map(() => temporaryFolder());
  const url = pair.urlOf(schema);
  for (const [i, folder] of [first, ...others].entries()) {
    if (i > 0) copyFileSync(join(first, 'keys.json'), join(folder, 'keys.json'));
    const store = { url, stale_seconds: staleSeconds[i] };
    opened.push(await openCore(testConfig(folder, { store }), createLog('silent')));
  }
  return opened;
}

const add = (core: Core, name: string): Promise<void> =>
  core.store.write(async (tx) => {
    await tx.run('insert into removed_accounts (username, account_id, removed_at) values (?, 1, 1)', name);
  });

async function namesIn(core: Core): Promise<string[]> {
  const rows = await core.store.all<{ username: string }>('select username from removed_accounts order by username');
  return rows.map(({ username }) => username);
}

/** Resolves with an `Authorization` header of an account that the first node makes. */
async function sessionOn(core: Core, username: string): Promise<string> {
  const passwordHash = await core.passwords.hash('correct horse battery');
  const account = await core.accounts.create({ username, role: 'user', passwordHash, plan: 'developer' });
  return `Bearer ${(await core.sessions.open(account, '127.0.0.1', 'test', async () => {})).token}`;
}

/** Resolves with the processes of the primary that notify nodes. */
async function listeners(): Promise<number[]> {
  const statement = "select pid from pg_stat_activity where application_name = 'hostkeep listener'";
  return (await pair.ask<{ pid: number }>(pair.primary, statement)).map(({ pid }) => pid);
}

/** Writes one row after the other until it is stopped, and never a name twice; notes those that were acknowledged. */
function writer(core: Core, name: string) {
  const acknowledged: string[] = [];
  const errors: unknown[] = [];
  const stopping = new AbortController();
  const run = async () => {
    for (let n = 0; !stopping.signal.aborted; n += 1) {
      const each = `${name}-${n}`;
      await add(core, each).then(
        () => acknowledged.push(each),
        (error: unknown) => errors.push(error),
      );
      await delay(1);
    }
  };
  const done = run();
  const stop = () => {
    stopping.abort();
    return done;
  };
  return { acknowledged, errors, stop };
}

test('a commit that the standby has not confirmed is not acknowledged', async () => {
  const [node] = await nodes('cancelled', 10);
  assert.ok(node);
  pair.standby.signal('SIGSTOP');
  try {
    const error = add(node, 'ann').catch((each: unknown) => each);
    await until('the commit waits for the standby', async () => {
      const cancelled = await pair.ask(
        pair.primary,
        "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep' and query = 'commit'",
      );
      return cancelled.length > 0;
    });
    assert.ok(isUnavailable(await error));
  } finally {
    pair.standby.signal('SIGCONT');
  }
  await add(node, 'bob');
});

test('a hanging standby holds up a write no longer than the setting says', async () => {
  const store = { url: pair.urlOf('hanging'), statement_seconds: 1 };
  const node = await openCore(testConfig(temporaryFolder(), { store }), createLog('silent'));
  opened.push(node);
  await add(node, 'ann');
  pair.standby.signal('SIGSTOP');
  try {
    const started = performance.now();
    const refusal = await add(node, 'bob').catch((each: unknown) => each);
    assert.ok(isUnavailable(refusal));
    assert.ok(performance.now() - started < 8000, 'by default it takes ten seconds');
    for (let each = refusal; each instanceof Error; each = each.cause)
      assert.not.match(each.stack ?? '', /\n/, 'an outage is told in one line');
  } finally {
    pair.standby.signal('SIGCONT');
  }
});

test('a statement that failed in a transaction that goes on fails its commit', async () => {
  const [node] = await nodes('swallowed', 10);
  await add(node as Core, 'ann');
  const error = await node?.store
    .write(async (tx) => {
      await tx
        .run("insert into removed_accounts (username, account_id, removed_at) values ('ann', 1, 1)")
        .catch(() => {});
    })
    .catch((each: unknown) => each);
  assert.match(String(error), /nothing was committed/);
});

test('a connection for notifications that falls silent is replaced', async () => {
  await nodes('unheard', 10);
  await until('the node listens', async () => (await listeners()).length === 1);
  const [pid = 0] = await listeners();
  process.kill(pid, 'SIGSTOP');
  try {
    await until('it listens again', async () => (await listeners()).some((each) => each !== pid));
  } finally {
    process.kill(pid, 'SIGCONT');
  }
});

test('after a failover nodes use the promoted standby and lose no acknowledged write', async () => {
  const [one, two, strict] = (await nodes('killed', 300, 300, 0)) as [Core, Core, Core];
  const header = await sessionOn(one, 'ann');
  for (const node of [one, two, strict]) assert.ok(await node.sessions.resolve(header));
  const writers = [one, two, one, two].map((node, i) => writer(node, `w${i}`));
  await until('all have written', () => writers.every(({ acknowledged }) => acknowledged.length > 10));

  pair.primary.signal('SIGKILL');
  await until('writes are refused', () => writers.every(({ errors }) => errors.length > 0));
  assert.ok(isUnavailable(await one.store.get('select 1 as n').catch((error: unknown) => error)));
  assert.is(
    (await two.sessions.authenticate(header))?.account.username,
    'ann',
    'a remembered session is good for a time',
  );
  await until('one node trusts nothing', () => strict.sessions.remembered(header) === undefined);
  assert.ok(isUnavailable(await strict.sessions.authenticate(header).catch((error: unknown) => error)));

  const before = writers.map(({ acknowledged }) => acknowledged.length);
  const former = await pair.promote();
  await until('all write again', () =>
    writers.every(({ acknowledged }, i) => acknowledged.length > (before[i] ?? 0) + 10),
  );
  await Promise.all(writers.map(({ stop }) => stop()));
  const names = await namesIn(two);
  assert.equal(
    writers.flatMap(({ acknowledged }) => acknowledged).filter((name) => !names.includes(name)),
    [],
  );
  assert.is(new Set(names).size, names.length);
  assert.ok(writers.every(({ errors }) => errors.every(isUnavailable)));

  assert.ok(await strict.sessions.resolve(header));
  await until('all listen again', async () => (await listeners()).length >= 3);
  await one.accounts.setFeature('ann', 'dns', false);
  await until('the others forget the account', () =>
    [two, strict].every(({ sessions }) => sessions.remembered(header) === undefined),
  );
  for (const node of [two, strict]) assert.not((await node.sessions.resolve(header))?.account.features.has('dns'));
  await pair.replace(former);
});

test('a silent primary is given up for the promoted one, and stays unused', async () => {
  const [node, strict] = (await nodes('silent', 300, 0)) as [Core, Core];
  const header = await sessionOn(node, 'ann');
  await strict.sessions.resolve(header);
  await add(node, 'before');
  const former = pair.primary;
  former.signal('SIGSTOP');
  try {
    await until('one node trusts nothing', () => strict.sessions.remembered(header) === undefined);
    await pair.promote();
    await until('a write succeeds', () =>
      add(node, 'after').then(
        () => true,
        () => false,
      ),
    );
    await until('both listen there', async () => (await listeners()).length >= 2);
  } finally {
    former.signal('SIGCONT');
  }
  // It takes itself for the primary, and would even commit alone.
  await pair.ask(former, 'alter system reset synchronous_standby_names');
  await pair.ask(former, 'select pg_reload_conf()');
  for (const each of ['a', 'b', 'c', 'd']) await add(node, each);
  assert.equal(await namesIn(node), ['a', 'after', 'b', 'before', 'c', 'd']);
  pair.primary.stop('immediate');
  try {
    assert.ok(isUnavailable(await add(node, 'lost').catch((error: unknown) => error)));
    assert.ok(isUnavailable(await namesIn(node).catch((error: unknown) => error)));
  } finally {
    pair.primary.serve(SETTINGS);
    former.stop('immediate');
  }
  await until('a write succeeds', () =>
    add(node, 'at last').then(
      () => true,
      () => false,
    ),
  );
  await pair.replace(former);
});
