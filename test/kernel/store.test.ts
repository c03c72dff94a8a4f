import { fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { HttpError } from '../../kernel/errors.ts';
import { Connection } from '../../kernel/store/sqlite/connection.ts';
import { SqliteEngine } from '../../kernel/store/sqlite/sqlite-engine.ts';
import type { Store } from '../../kernel/store/store.ts';
import { hostkeep } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { storeOf } from '../support/hostkeep.ts';
import { testSuite } from '../support/suite.ts';
import { migrate, migrateAll } from '../../kernel/store/migrate.ts';
import { assertNone, pick } from '../support/lists.ts';

const test = testSuite('store');

async function open(): Promise<Store> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'migrations'));
  writeFileSync(
    join(folder, 'migrations/0001-things.sql'),
    'create table things (id integer primary key, name text not null unique) strict;',
  );
  const store = await SqliteEngine.open(join(folder, 'test.db'));
  await migrate(store, 'test', join(folder, 'migrations'));
  return store;
}

const rejected = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'did not fail',
    (error: Error) => error.message,
  );

test('an applied migration must not change', async () => {
  const store = await open();
  const folder = join(store.place, '..', 'migrations');
  await migrate(store, 'test', folder);
  writeFileSync(join(folder, '0001-things.sql'), 'create table things (id integer primary key) strict;');
  assert.match(await rejected(migrate(store, 'test', folder)), /0001-things.sql was changed after it had been applied/);
  await store.close();
});

test('a failed migration leaves nothing behind and may be corrected', async () => {
  const store = await open();
  const folder = join(store.place, '..', 'migrations');
  writeFileSync(
    join(folder, '0002-more.sql'),
    'create table more (id integer primary key); create table things (id integer);',
  );
  assert.match(await rejected(migrate(store, 'test', folder)), /things already exists/);
  assert.is(await store.get("select 1 from sqlite_master where name = 'more'"), undefined);
  writeFileSync(join(folder, '0002-more.sql'), 'create table more (id integer primary key);');
  await migrate(store, 'test', folder);
  assert.ok(await store.get("select 1 from sqlite_master where name = 'more'"));
  await store.close();
});

test('owners get their tables together, and one that fails keeps nobody from theirs', async () => {
  const store = await SqliteEngine.open(join(temporaryFolder(), 'test.db'));
  const sources = ['first', 'bad', 'last'].map((owner) => ({ owner, folder: temporaryFolder() }));
  const write = (nth: number, sql: string) => writeFileSync(join(sources[nth]?.folder ?? '', '0001-own.sql'), sql);
  write(0, 'create table first (id integer);');
  write(1, 'create table bad (id integer); create table first (id integer);');
  write(2, 'create table last (id integer);');
  const tables = async () =>
    (await store.all<{ name: string }>("select name from sqlite_schema where name <> 'migrations' order by name"))
      .map(({ name }) => name)
      .filter((name) => !name.startsWith('sqlite_'));
  const failures = await migrateAll(store, sources);
  assert.equal([...failures.keys()], ['bad']);
  assert.match(String(failures.get('bad')), /first already exists/);
  assert.equal(await tables(), ['first', 'last']);
  write(1, 'create table bad (id integer);');
  write(2, 'create table last (id text);');
  const [[owner, error] = []] = [...(await migrateAll(store, sources))];
  assert.is(owner, 'last');
  assert.match(String(error), /0001-own.sql was changed/);
  assert.equal(await tables(), ['bad', 'first', 'last']);
  await store.close();
});

test('a store with migrations of a newer build is refused by name, and left as it is', async () => {
  const data = temporaryFolder();
  assert.is((await hostkeep(data, ['account', 'add', '--admin', 'root'])).code, 0);
  const insert = async (owner: string, name: string) => {
    const store = await storeOf(data);
    await store.write((tx) => tx.run("insert into migrations values (?, ?, '', 0)", owner, name));
    await store.close();
  };
  await insert('gone', '0001-gone.sql');
  assert.is((await hostkeep(data, ['account', 'list'])).code, 0, 'a plugin that was removed does not count');
  await insert('domains', '0999-later.sql');
  await insert('kernel', '0999-later.sql');
  for (const args of [['serve'], ['account', 'list'], ['doctor'], ['session', 'list', 'root']]) {
    const { code, stderr } = await hostkeep(data, args);
    assert.is(code, 1, args.join(' '));
    assert.match(
      stderr,
      /^hostkeep: the store in \S+ was migrated by a newer Hostkeep: this one, [\d.]+, does not know domains\/0999-later.sql, kernel\/0999-later.sql; install the newer one again, or take a backup from before the upgrade: (?:stop all programs that use it, and run `hostkeep restore --force <backup>`|restore it with the tools of PostgreSQL)\n$/,
    );
  }
});

test('of transactions committed together, a failing one rolls back only itself', async () => {
  const store = await open();
  const committed: string[] = [];
  const add = (name: string) =>
    store.write(async (tx) => {
      await tx.run('insert into things (name) values (?)', name);
      tx.afterCommit(() => committed.push(name));
      if (name === 'bad') throw new Error('refused');
      return name;
    });
  const results = await Promise.allSettled(['a', 'b', 'bad', 'a', 'c'].map(add));
  assert.equal(pick(results, 'status'), ['fulfilled', 'fulfilled', 'rejected', 'rejected', 'fulfilled']);
  assert.equal(
    (await store.all<{ name: string }>('select name from things order by name')).map(({ name }) => name),
    ['a', 'b', 'c'],
  );
  assert.equal(committed, ['a', 'b', 'c']);
  await store.close();
});

test('a failure after the commit rejects only its own call', async () => {
  const store = await open();
  const add = (name: string) =>
    store.write(async (tx) => {
      await tx.run('insert into things (name) values (?)', name);
      tx.afterCommit(() => {
        if (name === 'b') throw new Error('too late');
      });
    });
  const [a, b, c] = [add('a'), add('b'), add('c')];
  assert.is(await rejected(b), 'too late');
  await Promise.all([a, c]);
  assert.equal(await store.get('select count(*) as n from things'), { n: 3 });
  await store.close();
});

test('commits are flushed, foreign keys hold, and the reader cannot write', async () => {
  const store = await open();
  assert.match(await rejected(store.get("insert into things (name) values ('x') returning id")), /readonly/);
  await store.write(async (tx) => {
    assert.equal(await tx.get('pragma synchronous'), { synchronous: 2 });
    assert.equal(await tx.get('pragma foreign_keys'), { foreign_keys: 1 });
  });
  await store.close();
});

test('a statement that failed may succeed later, and closing waits for queued writers', async () => {
  const store = await open();
  assert.match(await rejected(store.get('select n from later')), /no such table/);
  await store.write((tx) => tx.run('create table later (n integer)'));
  assert.is(await store.get('select n from later'), undefined);
  const writes = Array.from({ length: 100 }, (_, n) => store.write((tx) => tx.run('insert into later values (?)', n)));
  const { place: file } = store;
  await store.close();
  await Promise.all(writes);
  const again = await SqliteEngine.open(file);
  assert.equal(await again.get('select count(*) as n from later'), { n: 100 });
  await again.close();
});

test('a writer waits for one of another process', async () => {
  const store = await open();
  const other = await SqliteEngine.open(store.place);
  let waiting: Promise<unknown> | undefined;
  await store.write(async (tx) => {
    await tx.run("insert into things (name) values ('first')");
    waiting = other.write((its) => its.run("insert into things (name) values ('second')"));
    for (let i = 0; i < 50; i += 1) await tx.get('select 1');
  });
  await waiting;
  assert.equal(await store.get('select count(*) as n from things'), { n: 2 });
  for (const each of [other, store]) await each.close();
});

// SQLite refuses that at once, whatever its timeout, which two commands on an empty data folder would meet
test('who opens a new file waits for another who makes it at the same moment', async () => {
  const file = join(temporaryFolder(), 'new.db');
  writeFileSync(file, '', { mode: 0o600 });
  const other = await Connection.open(file, []);
  await other.run('begin immediate');
  const opening = SqliteEngine.open(file);
  for (let i = 0; i < 50; i += 1) await other.get('select 1');
  await other.run('commit');
  const store = await opening;
  assert.is(store.place, file);
  for (const each of [other, store]) await each.close();
});

test('a writer without a turn for seconds is refused and may retry', async () => {
  const store = await open();
  const other = await SqliteEngine.open(store.place);
  const insert = () => other.write((its) => its.run("insert into things (name) values ('second')"));
  await store.write(async (tx) => {
    await tx.run("insert into things (name) values ('first')");
    const error = await insert().catch((each: unknown) => each);
    assert.instance(error, HttpError);
    assert.equal(
      [(error as HttpError).code, (error as HttpError).headers?.['Retry-After']],
      ['store_unavailable', '1'],
    );
  });
  await insert();
  assert.equal(await store.get('select count(*) as n from things'), { n: 2 });
  for (const each of [other, store]) await each.close();
});

test('no job is left in the queue, however long after another one it arrives', async () => {
  const store = await open();
  for (let ticks = 0; ticks < 40; ticks += 1) {
    await store.write((tx) => tx.run('insert into things (name) values (?)', `first ${ticks}`));
    for (let tick = 0; tick < ticks; tick += 1) await undefined;
    await store.write((tx) => tx.run('insert into things (name) values (?)', `second ${ticks}`));
  }
  assert.equal(await store.get('select count(*) as n from things'), { n: 80 });
  await store.close();
});

// threat sql-injection: values are bound, never joined into SQL
// asvs 1.2.4: bound values are never SQL
test('the file is readable by its owner only, and bound values are never SQL', async () => {
  const store = await open();
  assert.is(statSync(store.place).mode & 0o777, 0o600);
  const name = "x'); drop table things; --";
  await store.write((tx) => tx.run('insert into things (name) values (?)', name));
  assert.equal(await store.get('select name from things where name = ?', name), { name });
  await store.close();
});

// attack damaged-files: an integrity check finds a damaged page
test('a damaged page is found by an examination, and a whole store has none', async () => {
  const store = await open();
  await store.write(async (tx) => {
    for (let i = 0; i < 500; i += 1) await tx.run('insert into things (name) values (?)', `${'x'.repeat(100)} ${i}`);
  });
  assert.equal(await store.examine(), []);
  const { place: file } = store;
  await store.close();
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(4096, 0xee), 0, 4096, 4096 * 6);
  closeSync(handle);
  const damaged = await SqliteEngine.open(file);
  assert.match((await damaged.examine()).join(), /page/i);
  await damaged.close();
});

test('acknowledged writes survive kill -9 during concurrent writes', async () => {
  const folder = temporaryFolder();
  for (let round = 0; round < 3; round += 1) {
    const child = fork(join(import.meta.dirname, '../support/writer.js'), [folder, String(round)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    let count = 0;
    child.on('message', () => {
      count += 1;
      if (count === 200) child.kill('SIGKILL');
    });
    await once(child, 'exit');
    assert.ok(count >= 200);
  }
  const acknowledged = readFileSync(join(folder, 'acknowledged'), 'utf8').trim().split('\n');
  const store = await SqliteEngine.open(join(folder, 'test.db'));
  const kept = new Set((await store.all<{ name: string }>('select name from things')).map(({ name }) => name));
  assertNone(acknowledged, (name) => !kept.has(name));
  assert.equal(await store.get('pragma integrity_check'), { integrity_check: 'ok' });
  await store.close();
});
