/**
 * What lists, logins and the gate ask of the store is answered by an index, whatever the size of a table: no statement reads a
 * whole table, nor sorts what it found.
 */
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { Connection, type SqlValue } from '../../kernel/store/sqlite/connection.ts';
import { PASSWORD, TestServer } from '../support/hostkeep.ts';
import { storesInFiles } from '../support/postgres.ts';
import { testSuite } from '../support/suite.ts';
import { assertNone } from '../support/lists.ts';

storesInFiles(); // whose plans depend on indexes, not on what is in the tables
const test = testSuite('query plans');
let server: TestServer;
let explaining: Connection;
test.before(async () => {
  server = await TestServer.start();
  explaining = await Connection.open(join(server.data, 'hostkeep.db'), ['query_only=on']);
});
test.after(async () => {
  await explaining.close();
  await server.close();
});

/** Tables that have some rows, and never many. */
const SMALL = /^SCAN (?:plans|plan_features|revision|json_each|CONSTANT ROW|\(subquery)/;
/** Tables of which an account has a few rows, which may be sorted. */
const FEW = /from known_networks/;
/** Reads as much of an index as there is to count; see `LargeCounts`. Some are of samples, which may be taken meanwhile. */
const isCount = (sql: string): boolean => /^\s*select (?:plan, |\(select )?count\(\*\)/.test(sql);

/** Some plugins read all of such a table in the background: once an account has changed, or from time to time. */
const BACKGROUND = new RegExp(
  [
    /^\s*select .* from (?:mysql|postgresql)_\w+/,
    /^select distinct account_id from \w+ order by account_id$/, // `SiteValues`
    /^select .* from backup_schedules$/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

/** Runs `work`, and resolves with the statements that it sends to SQLite. */
async function statementsOf(work: () => Promise<unknown>): Promise<Map<string, SqlValue[]>> {
  const asked = new Map<string, SqlValue[]>();
  const { all, run } = Connection.prototype;
  Connection.prototype.all = function <T>(this: Connection, sql: string, ...params: SqlValue[]) {
    asked.set(sql, params);
    return all.call(this, sql, ...params) as Promise<T[]>;
  };
  Connection.prototype.run = function (this: Connection, sql: string, ...params: SqlValue[]) {
    asked.set(sql, params);
    return run.call(this, sql, ...params);
  };
  try {
    await work();
  } finally {
    Object.assign(Connection.prototype, { all, run });
  }
  return asked;
}

/** Resolves with the steps of a statement whose time grows with a table; none for statements of the local store. */
async function slowSteps(sql: string, params: readonly SqlValue[]): Promise<string[]> {
  if (!/^\s*(?:select|insert|update|delete)/.test(sql) || sql.includes('sqlite_schema') || BACKGROUND.test(sql))
    return [];
  const steps = await explaining
    .all<{ detail: string }>(`explain query plan ${sql}`, ...params)
    .catch((error: { message: string }) => (/no such table/.test(error.message) ? [] : Promise.reject(error)));
  const isBounded = isCount(sql) || /limit \?\s*(?:offset \?)?$/.test(sql);
  return steps
    .map(({ detail }) => detail)
    .filter((detail) => {
      if (/TEMP B-TREE FOR (?!string_agg)/.test(detail)) return !FEW.test(sql);
      return (
        detail.startsWith('SCAN ') && !SMALL.test(detail) && !(isBounded && /USING (?:COVERING )?INDEX/.test(detail))
      );
    });
}

async function assertIndexed(what: string, work: () => Promise<unknown>): Promise<void> {
  const asked = await statementsOf(work);
  assert.ok(asked.size > 0, `${what} asks nothing`);
  const slow: [string, string[]][] = [];
  for (const [sql, params] of asked) slow.push([sql, await slowSteps(sql, params)]);
  assertNone(slow, ([, steps]) => steps.length > 0, what);
}

test('a statement that no index answers is found', async () => {
  for (const sql of [
    'select id from accounts where email like ? limit 1',
    'select id from events order by line limit ?',
    'select id from sessions order by ip limit ?',
  ])
    assert.ok((await slowSteps(sql, [])).length > 0, sql);
});

test('each list of administrators has an index for every order and filter', async () => {
  const { token } = await server.admin();
  await server.user('ann');
  for (const path of [
    ...['username', 'created', 'plan', 'email'].flatMap((by) => [`accounts?sort=${by}`, `accounts?sort=-${by}`]),
    ...['role=admin', 'plan=developer', 'suspended=true', 'role=user&plan=basic'].map((each) => `accounts?${each}`),
    ...['', '?type=login', '?ip=', '?account=ann', '?account=ann&type=login'].map((each) => `events${each}`),
    ...['accounts/ann', 'accounts/ann/activity', 'accounts/ann/sessions', 'accounts/ann/tokens', 'sessions', 'plans'],
    'usage/accounts',
  ])
    await assertIndexed(path, async () => {
      const { status } = await server.ask(`/api/${path}`, { token, address: 'admin' });
      assert.is(status, 200, path);
    });
});

test('logins and the gate have their indexes', async () => {
  const { account, token } = await server.user('bob');
  const body = { username: 'bob', password: PASSWORD };
  await assertIndexed('a login', async () => {
    assert.is((await server.ask('/api/login', { method: 'POST', body })).status, 200);
  });
  for (const path of [
    '/system/hosting/plan',
    '/api/domains',
    '/api/dashboard',
    '/api/account/sessions',
    '/api/account/activity',
  ])
    await assertIndexed(path, async () => {
      server.hostkeep.core.accounts.cells.forget(account.id);
      assert.is((await server.ask(path, { token })).status, 200, path);
    });
  await assertIndexed('a changed account', () => server.hostkeep.core.accounts.setFeature('bob', 'dns', false));
  await assertIndexed('a removed account', () => server.hostkeep.core.accounts.remove('bob'));
});
