/** Databases of MariaDB leave with their account, and come to another installation. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { hostkeep } from '../../../support/command.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { hasMariaDb, MariaDb } from '../../../support/mariadb.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';

await needs('databases', 'mysql');
const test = testSuite('databases in archives of accounts');

if (hasMariaDb()) {
  test('databases arrive under the new name, and what cannot is named', async () => {
    const mariaDb =
      await MariaDb.start(`create database ann_shop; create database ann_bad; create database ${"`ann_o'dd`"};
      use ann_shop; create table t (id int primary key, name text); insert into t values (1, 'ä; \\n'), (2, null);
      create view v as select id from t; create procedure p() insert into t (id) values (100);
      use ann_bad; create table t (id int); create view v as select * from t; drop table t`);
    const folder = temporaryFolder();
    const [settings, file] = [join(folder, 'settings.json'), join(folder, 'ann.tar')];
    writeFileSync(settings, JSON.stringify({ databases: mariaDb.settings }));
    const config = { databases: mariaDb.settings };
    const [old, fresh] = [await TestServer.start({ config }), await TestServer.start({ config })];
    await old.user('ann');
    const run = async (server: TestServer, ...args: readonly string[]) => {
      const { code, stdout, stderr } = await hostkeep(server.data, [
        '--config',
        settings,
        'account',
        ...args,
        '--json',
      ]);
      assert.is(code, 1, stderr);
      return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<'missing' | 'next', string[]>;
    };

    const exported = await run(old, 'export', 'ann', file);
    assert.match(exported.missing.join('; '), /^the database ann_bad: [^;]*$/);
    assert.ok(readFileSync(file).includes('CREATE TABLE `t`'));

    const { missing, next } = await run(fresh, 'import', file, '--username', 'bob');
    assert.equal(missing, ["the database ann_o'dd: no account can give a database this name"]);
    assert.equal(next, ['have sites use the database bob_shop in place of ann_shop']);
    assert.is(await mariaDb.sql('call bob_shop.p(); select * from bob_shop.t'), '1\tä; \\n\n2\tNULL\n100\tNULL\n');
    assert.is(await mariaDb.sql('select count(*) from bob_shop.v; select count(*) from ann_shop.t'), '3\n2\n');

    await mariaDb.sql('create database eve_theirs');
    const theirs = await hostkeep(fresh.data, [
      ...['--config', settings],
      'account',
      'import',
      file,
      '--username',
      'eve',
    ]);
    assert.match(theirs.stderr, /something of the name eve already: 1 databases/);
    assert.is(await mariaDb.sql("show databases like 'eve%'"), 'eve_theirs\n');
    assert.equal(await fresh.hostkeep.core.accounts.removed.list(), [], 'the name is free');
  });
}
