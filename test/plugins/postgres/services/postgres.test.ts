/** The store on a real PostgreSQL server. */
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { openCore, type Core } from '../../../../kernel/run/core.ts';
import { HttpError } from '../../../../kernel/errors.ts';
import { createLog } from '../../../../kernel/log.ts';
import { PostgresEngine } from '../../../../plugins/postgres/postgres-engine.ts';
import { toStatement } from '../../../../plugins/postgres/statements.ts';
import { SqliteEngine } from '../../../../kernel/store/sqlite/sqlite-engine.ts';
import type { Store } from '../../../../kernel/store/store.ts';
import { findFiles } from '../../../../kernel/kit/files/find-files.ts';
import { projectDir } from '../../../../kernel/kit/files/project-dir.ts';
import { hostkeep } from '../../../support/command.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { testConfig, TestServer } from '../../../support/hostkeep.ts';
import { MAY_IDLE, Postgres, schemaAt } from '../../../support/postgres.ts';
import { probePlugin } from '../../../support/probe.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';
import { migrate } from '../../../../kernel/store/migrate.ts';
import { SignalFile } from '../../../../kernel/store/signal-file.ts';
import { pick } from '../../../support/lists.ts';

const test = testSuite('postgres');
let server: Postgres;
const opened: { close(): Promise<void> }[] = [];
test.before(() => void (server = Postgres.start(['fsync=off'])));
test.after(async () => {
  await Promise.all(opened.map((each) => each.close()));
  server.remove();
});

function storeIn(schema: string, url = schemaAt(server.url, schema)): Store {
  const signalFile = join(temporaryFolder(), 'revision');
  const store = new PostgresEngine({
    url,
    password: '',
    connections: 16,
    graceMs: 10_000,
    statementMs: 10_000,
    signal: new SignalFile(signalFile),
  });
  opened.push(store);
  return store;
}

/** The core of a node. */
async function nodeOf(schema: string, { folder = temporaryFolder(), staleSeconds = 10 } = {}): Promise<Core> {
  const store = { url: schemaAt(server.url, schema), stale_seconds: staleSeconds };
  const core = await openCore(testConfig(folder, { store }), createLog('silent'));
  opened.push(core);
  return core;
}

/** Two nodes that share a store, each with a data folder of its own, and keys. */
async function twoNodes(schema: string): Promise<[Core, Core]> {
  const [folder, other] = [temporaryFolder(), temporaryFolder()];
  const core = await nodeOf(schema, { folder });
  copyFileSync(join(folder, 'keys.json'), join(other, 'keys.json'));
  return [core, await nodeOf(schema, { folder: other })];
}

/** Resolves with an `Authorization` header of an account that the first node makes. */
async function sessionOn(core: Core, username: string): Promise<string> {
  const passwordHash = await core.passwords.hash('correct horse battery');
  const account = await core.accounts.create({ username, role: 'user', passwordHash, plan: 'developer' });
  return `Bearer ${(await core.sessions.open(account, '127.0.0.1', 'test', async () => {})).token}`;
}

const isUnavailable = (error: unknown) => error instanceof HttpError && error.code === 'store_unavailable';

/** Tries what a busy machine had no time for again. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
    }
}

test("statements get PostgreSQL's numbers and functions; string literals stay", () => {
  assert.is(
    toStatement("select '?', instr(a, ?), 'it''s ?' where x = ?").text,
    "select '?', strpos(a, $1), 'it''s ?' where x = $2",
  );
  assert.is(toStatement('select ?1, ?2, ?1').text, 'select $1, $2, $1');
  assert.is(
    toStatement('delete from t where id in (select value from json_each(?))').text,
    'delete from t where id in (select value from json_array_elements_text($1))',
  );
  assert.is(toStatement('select ?1, ?2, ?1'), toStatement('select ?1, ?2, ?1'));
});

test('values come back as SQLite gives them', async () => {
  const row = await storeIn('values').get(
    `select cast(? as bigint) as big, 1 = 1 as yes, 1 = 2 as no, sum(n) as total, cast(? as text) as text, cast(null as bigint) as none
      from (values (1), (2)) as t (n)`,
    9_007_199_254_740_991,
    'ö€\0😀',
  );
  assert.equal(row, { big: 9_007_199_254_740_991, yes: 1, no: 0, total: 3, text: 'ö€\uFFFD😀', none: null });
});

test('migrations of both databases have the same numbers, and make the same tables', async () => {
  const [postgres, sqlite] = [storeIn('twins'), await SqliteEngine.open(join(temporaryFolder(), 'hostkeep.db'))];
  opened.push(sqlite);
  const owners = readdirSync(join(projectDir, 'plugins')).map((name) => [name, join('plugins', name)] as const);
  for (const [owner, path] of [['kernel', 'kernel/store'] as const, ...owners]) {
    const folder = join(projectDir, path, 'migrations');
    assert.equal(findFiles('*.sql', join(folder, 'postgres')), findFiles('*.sql', folder), owner);
    for (const store of [postgres, sqlite]) await migrate(store, owner, folder);
  }
  const ofPostgres = await postgres.all<{ line: string }>(
    `select c.table_name || '.' || c.column_name || case c.is_nullable when 'NO' then '!' else '' end || coalesce(' ' || k.constraint_type, '') as line
      from information_schema.columns c
      left join (information_schema.key_column_usage u join information_schema.table_constraints k
          on k.constraint_name = u.constraint_name and k.table_schema = u.table_schema and k.constraint_type = 'PRIMARY KEY')
        on u.table_schema = c.table_schema and u.table_name = c.table_name and u.column_name = c.column_name
      where c.table_schema = current_schema()`,
  );
  const ofSqlite = await sqlite.all<{ line: string }>(
    `select t.name || '.' || c.name || case when c."notnull" = 1 or c.pk > 0 then '!' else '' end || case when c.pk > 0 then ' PRIMARY KEY' else '' end as line
      from sqlite_schema t join pragma_table_info(t.name) c where t.type = 'table' and t.name not like 'sqlite_%'`,
  );
  const sorted = (rows: { line: string }[]) => rows.map(({ line }) => line).toSorted();
  const shared = { line: 'migrations.version!' }; // one version at a time uses a file
  assert.equal(sorted(ofPostgres), sorted([...ofSqlite, shared]));
});

test('a migration may take longer than other statements, and so may the wait for it', async () => {
  const url = schemaAt(server.url, 'slow');
  const engines = [1, 2].map(
    () =>
      new PostgresEngine({
        url,
        password: '',
        connections: 16,
        graceMs: 0,
        statementMs: 10_000,
        signal: new SignalFile(join(temporaryFolder(), 'revision')),
      }),
  );
  opened.push(...engines);
  const migration = {
    owner: 'test',
    name: '0001-slow.sql',
    sql: 'select pg_sleep(13); create table slow (n bigint)',
    sha256: '',
  };
  await Promise.all(engines.map((engine) => engine.apply(migration)));
  assert.equal(await engines[0]?.all('select count(*) as n from slow'), [{ n: 0 }]);
});

test('a migration is applied after a server that froze during it is back', async () => {
  const frozen = Postgres.start(['fsync=off']);
  const engine = new PostgresEngine({
    url: schemaAt(frozen.url, 'frozen'),
    password: '',
    connections: 2,
    graceMs: 0,
    statementMs: 10_000,
    signal: new SignalFile(join(temporaryFolder(), 'revision')),
  });
  try {
    const sql = 'create table slow (n bigint); select pg_sleep(n) from (values (1)) as t (n)';
    const slow = { owner: 'test', name: '0001-slow.sql', sql: sql.replace('(1)', '(600)'), sha256: '' };
    const applying = engine.apply(slow).catch((error: Error) => error);
    await until('the migration runs', async () => {
      const rows = await engine.all("select 1 as n from pg_stat_activity where wait_event = 'PgSleep'");
      return rows.length === 1;
    });
    frozen.signal('SIGSTOP');
    assert.ok((await applying) instanceof Error);
    frozen.signal('SIGCONT');
    await until('the server has ended what was given up', async () => {
      const end = "select pg_terminate_backend(pid) as n from pg_stat_activity where wait_event = 'PgSleep'";
      const rows = await engine.all(end).catch(() => undefined); // connections to it may be lost
      return rows?.length === 0;
    });
    await engine.apply({ ...slow, sql });
    assert.equal(await engine.all('select count(*) as n from slow'), [{ n: 0 }]);
  } finally {
    frozen.signal('SIGCONT');
    await engine.close();
    frozen.remove();
  }
});

test('texts sort by their code points, whatever the locale of the database', async () => {
  const { store } = await nodeOf('sorted');
  await store.write((tx) =>
    tx.run(
      "insert into removed_accounts (username, account_id, removed_at) values ('b', 1, 1), ('B', 2, 1), ('a-c', 3, 1), ('ab', 4, 1)",
    ),
  );
  const rows = await store.all<{ username: string }>('select username from removed_accounts order by username');
  assert.equal(pick(rows, 'username'), ['B', 'a-c', 'ab', 'b']);
});

test('a limit that is checked in a transaction holds for fifty at once on two nodes', async () => {
  const both = await twoNodes('limit');
  const added = await Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      patiently(() =>
        (i % 2 === 0 ? both[0] : both[1]).store.write(async (tx) => {
          const { n = 0 } = (await tx.get<{ n: number }>('select count(*) as n from removed_accounts')) ?? {};
          if (n >= 7) return false;
          await tx.run('insert into removed_accounts (username, account_id, removed_at) values (?, 1, 1)', `name${i}`);
          return true;
        }),
      ),
    ),
  );
  assert.is(added.filter((each) => each === true).length, 7);
  assert.equal(await both[0].store.get('select count(*) as n from removed_accounts'), { n: 7 });
});

test('of two concurrent inserts of one row, the later is retried and sees it', async () => {
  const { store } = await nodeOf('same');
  for (const table of ['marks', 'taken'])
    await store.write((tx) => tx.run(`create table ${table} (k bigint primary key)`));
  await store.write((tx) => tx.run('insert into marks values (1)'));
  let begun = 0;
  let bothBegan = (): void => undefined;
  const both = new Promise<void>((resolve) => (bothBegan = resolve));
  const take = () =>
    store.write(async (tx) => {
      if ((await tx.get('select 1 from marks where k = 1')) === undefined) return 'is gone';
      if ((begun += 1) === 2) bothBegan();
      await both;
      await tx.run('insert into taken values (1)');
      await tx.run('delete from marks where k = 1');
      return 'taken';
    });
  assert.equal((await Promise.all([take(), take()])).toSorted(), ['is gone', 'taken']);
  const again = await store.write((tx) => tx.run('insert into taken values (1)')).catch(String);
  assert.match(String(again), /duplicate key/, 'a row that stays is no reason to go on trying');
});

test('a retried transaction calls back once, for the committed attempt', async () => {
  const { store } = await nodeOf('again');
  const told: number[] = [];
  let attempts = 0;
  await store.write(async (tx) => {
    const attempt = (attempts += 1);
    tx.afterCommit(() => told.push(attempt));
    await tx.get('select n from revision');
    if (attempt === 1) await store.write((other) => other.run('update revision set n = n + 1'));
    await tx.run('update revision set n = n + 1');
  });
  assert.ok(attempts >= 2);
  assert.equal(told, [attempts]);
});

test('an aborted transaction is retried several times, however long they took', async () => {
  const { store } = await nodeOf('slowly');
  const { now } = performance;
  await store.write((tx) => tx.run('create table counted (n bigint)'));
  await store.write((tx) => tx.run('insert into counted values (0)'));
  const count = 'update counted set n = n + 1';
  let attempts = 0;
  try {
    await store.write(async (tx) => {
      attempts += 1;
      await tx.get('select n from counted');
      if (attempts < 6) await store.write((other) => other.run(count));
      performance.now = () => now.call(performance) + 60_000; // as of a process that was stopped
      await tx.run(count);
    });
  } finally {
    performance.now = now;
  }
  assert.is(attempts, 6);
  assert.is((await store.get<{ n: number }>('select n from counted'))?.n, 6);
});

test('an event waits for the commit of earlier ones, so that readers miss none', async () => {
  const { store, events } = await nodeOf('events');
  const event = { type: 'account.created', account: { id: 0, username: 'ann' }, text: 'was created', ip: '' } as const;
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const began = new Promise<void>((resolve, reject) => {
    const first = store.write(async (tx) => {
      await tx.run(MAY_IDLE);
      await tx.run(
        "insert into events (at, type, username, ip, line, folded, data) values (1, 'x', '', '', '', '', '{}')",
      );
      resolve();
      await held;
    });
    first.catch(reject);
  });
  const types = async () =>
    (
      await store.all<{ type: string }>("select type from events where type in ('x', 'account.created') order by id")
    ).map(({ type }) => type);
  await began;
  const second = store.write((tx) => events.record(tx, event)).catch((error: unknown) => error);
  const waiting = async () =>
    (await store.get<{ n: number }>("select count(*) as n from pg_locks where locktype = 'advisory' and not granted"))
      ?.n;
  try {
    await until('the second event waits', async () => (await waiting()) === 1);
    assert.equal(await types(), []);
  } finally {
    release();
  }
  assert.not.instance(await second, Error);
  assert.equal(await types(), ['x', 'account.created']);
});

test('what one node changes holds on another one, which was told or asked', async () => {
  const [one, two] = await twoNodes('told');
  const header = await sessionOn(one, 'ann');
  assert.not((await two.sessions.resolve(header))?.account.features.has('dns'));
  await one.accounts.setFeature('ann', 'dns', true);
  await until('the other node forgets the account', () => two.sessions.remembered(header) === undefined);
  assert.ok((await two.sessions.resolve(header))?.account.features.has('dns'));
  await one.accounts.suspend('ann');
  await until('the session is over on the other node', () => two.sessions.remembered(header) === undefined);
  assert.is(await two.sessions.resolve(header), undefined);
});

test('a notified node forgets that account only, and ignores other schemas', async () => {
  const [[one, two], beside] = [await twoNodes('named'), await nodeOf('beside')];
  const [ann, bob] = [await sessionOn(one, 'ann'), await sessionOn(one, 'bob')];
  for (const name of ['eva', 'evi', 'eve']) await sessionOn(beside, name); // the last one has an id that the others have not
  for (const header of [ann, bob]) await two.sessions.resolve(header);
  const { generation } = two.revision;
  for (const on of [true, false, true]) {
    const { n } = (await one.store.get<{ n: number }>('select n from revision')) ?? { n: 0 };
    await beside.store.write((tx) => tx.run('update revision set n = ?', n));
    await beside.accounts.setFeature('eve', 'dns', on);
    await one.accounts.setFeature('ann', 'dns', on);
    await until('the other node forgets the account', () => two.sessions.remembered(ann) === undefined);
    assert.is((await two.sessions.resolve(ann))?.account.features.has('dns'), on);
  }
  assert.ok(two.sessions.remembered(bob));
  assert.is(two.revision.generation, generation);
});

test('without the store, sessions are valid for a time, and the rest is 503', async () => {
  const patient = await nodeOf('gone', { staleSeconds: 300 });
  const strict = await nodeOf('gone-at-once', { staleSeconds: 0 });
  const [kept, lost] = [await sessionOn(patient, 'ann'), await sessionOn(strict, 'ann')];
  await Promise.all([patient.sessions.resolve(kept), strict.sessions.resolve(lost)]);
  server.stop('immediate');
  try {
    await until('the strict node trusts nothing', () => strict.sessions.remembered(lost) === undefined);
    assert.ok(patient.sessions.remembered(kept));
    for (const ask of [
      () => strict.sessions.resolve(lost),
      () => patient.store.get('select n from revision'),
      () => patient.store.write((tx) => tx.run('update revision set n = n + 1')),
    ])
      assert.ok(isUnavailable(await ask().catch((error: unknown) => error)));
  } finally {
    server.serve(['fsync=off']);
  }
  await patient.store.write((tx) => tx.run('update revision set n = n + 1'));
  assert.is((await strict.sessions.resolve(lost))?.account.username, 'ann');
});

test('a stream ends while nobody can say whether it may go on, and the node lives', async () => {
  const store = { url: schemaAt(server.url, 'stream'), stale_seconds: 0 };
  const node = await TestServer.start({ plugins: [probePlugin()], config: { store } });
  opened.push(node);
  const { token } = await node.user('ann');
  const open = () =>
    fetch(`${node.hostkeep.url('user')}/probe/stream`, { headers: { authorization: `Bearer ${token}` } });
  const streams = await Promise.all([open(), open()]);
  server.stop('immediate');
  try {
    for (const each of streams) assert.is(await each.text(), 'data: first\n\n');
    assert.is((await open()).status, 503);
  } finally {
    server.serve(['fsync=off']);
  }
  const again = new AbortController();
  await until('another one opens', async () => {
    const { status } = await fetch(`${node.hostkeep.url('user')}/probe/stream`, {
      headers: { authorization: `Bearer ${token}` },
      signal: again.signal,
    });
    return status === 200;
  });
  again.abort();
});

test('an unreachable database is refused with its place, without its password', async () => {
  const url = 'postgres://hostkeep:secret@127.0.0.1:1,127.0.0.1:2/name?sslmode=disable';
  const config = testConfig(temporaryFolder(), { store: { url, password: 'other secret' } });
  const error = await openCore(config, createLog('silent')).catch((each: unknown) => each);
  assert.match(
    String(error),
    /the store at postgres:\/\/hostkeep@127\.0\.0\.1:1,127\.0\.0\.1:2\/name cannot be opened: .*ECONNREFUSED/,
  );
  assert.not.match(JSON.stringify(error) + String(error), /secret/);
});

test('the command line makes a store there, and leaves its backup to PostgreSQL', async () => {
  const data = join(temporaryFolder(), 'data');
  const run = (...args: string[]) =>
    hostkeep(data, args, 'correct horse battery\n', undefined, {
      HOSTKEEP_STORE_URL: schemaAt(server.url, 'commands'),
    });
  assert.is((await run('account', 'list')).code, 1, 'a command that looks makes nothing');
  assert.is((await run('account', 'add', '--admin', 'root', '--password-stdin')).stdout, 'added admin root\n');
  assert.match((await run('account', 'list')).stdout, /^root +admin/m);
  assert.equal(readdirSync(data).toSorted(), ['ids', 'keys.json', 'node.db', 'revision']);
  for (const args of [
    ['backup', 'create'],
    ['restore', 'file.tar'],
  ]) {
    const { code, stderr } = await run(...args);
    assert.is(code, 1);
    assert.match(stderr, /the store is at postgres:.*: back it up and restore it with the tools of PostgreSQL/);
  }
});
