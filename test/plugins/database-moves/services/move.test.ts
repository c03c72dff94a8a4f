/** Databases go with their account from one server to another, and stay where both nodes reach the same one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import * as assert from '../../../support/assert.ts';
import type { FleetMember } from '../../../support/fleet.ts';
import { DatabaseFleet } from '../../../support/database-fleet.ts';
import { ANN } from '../../../support/database-account.ts';
import { hasMariaDb, type MariaDb } from '../../../support/mariadb.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

/** Between two statements of a client that never rests, which would take a processor from the move for itself. */
const PAUSE_MS = 1;

const test = testSuite('databases-move');
const hasReal = hasMariaDb();
let fleet: DatabaseFleet;
let [here, there] = [] as unknown as [MariaDb, MariaDb];
let one = undefined as unknown as FleetMember;

test.before(async () => {
  if (!hasReal) return;
  fleet = await DatabaseFleet.start('databases_move');
  ({ here, there, one } = fleet);
});
test.after(async () => {
  await (fleet as DatabaseFleet | undefined)?.close();
});

/** All that the servers show of what an account has, in words. */
async function pictureOf(server: MariaDb, username: string): Promise<string> {
  const own = `like '${username.replaceAll('_', '\\_')}\\_%'`;
  const names = await server.sql(`
    select 'db', schema_name, default_character_set_name, default_collation_name from information_schema.schemata where schema_name ${own} order by 2;
    select 'table', table_schema, table_name, engine, table_rows is null from information_schema.tables where table_schema ${own} order by 2, 3;
    select 'view', table_name, view_definition, definer, security_type from information_schema.views where table_schema ${own} order by 2;
    select 'routine', routine_name, routine_definition, definer, sql_mode from information_schema.routines where routine_schema ${own} order by 2;
    select 'trigger', trigger_name, event_object_table, action_statement, definer, action_order, sql_mode from information_schema.triggers where trigger_schema ${own} order by 2;
    select 'event', event_name, definer, status, interval_value, event_definition, time_zone from information_schema.events where event_schema ${own} order by 2;
    select 'user', user, host, json_value(priv, '$.authentication_string'), json_value(priv, '$.plugin'), coalesce(json_value(priv, '$.account_locked'), '0'), json_value(priv, '$.max_questions') from mysql.global_priv where user ${own} or user = '${username}' order by 2, 3;
    select 'db grant', db, user, host, select_priv, insert_priv, grant_priv, drop_priv from mysql.db where db ${own} or db like '${username}\\\\\\\\\\_%' order by 2, 3, 4;
    select 'table grant', db, user, host, table_name, table_priv, column_priv from mysql.tables_priv where db ${own} order by 2, 3, 4, 5;
    select 'column grant', db, user, host, column_name, column_priv from mysql.columns_priv where db ${own} order by 2, 3, 4, 5;
    select 'routine grant', db, user, routine_name, proc_priv from mysql.procs_priv where db ${own} order by 2, 3, 4;
  `);
  const tables = await server.sql(
    `select concat('\`', replace(table_schema, '\`', '\`\`'), '\`.\`', replace(table_name, '\`', '\`\`'), '\`') from information_schema.tables where table_schema ${own} and table_type = 'BASE TABLE' order by table_schema, table_name`,
  );
  const all = tables
    .split('\n')
    .filter((each) => each !== '')
    .map((each) => each.replaceAll('\\n', '\n'));
  const sums = all.length === 0 ? '' : await server.sql(`checksum table ${all.join(', ')} extended`);
  return names + sums;
}

async function refused(pattern: RegExp, name: string): Promise<void> {
  const { code, stderr } = await fleet.move(one, name, '--to', 'two');
  assert.is(code, 1, stderr);
  assert.match(stderr, pattern, stderr);
  assert.is(await fleet.homeOf(name), 'one');
  assert.equal(await fleet.movesLeft(), []);
}

if (hasReal) {
  test('what cannot move is named, and stays as it was; nothing is overwritten', async () => {
    await fleet.first.user('eve');
    await here.sql(`
      create database eve_a; create table eve_a.t (id int); insert into eve_a.t values (1);
      create user eve@localhost identified by 'secret'; grant all on \`eve\\_%\`.* to eve@localhost;
      create definer = root@localhost view eve_a.hostile as select user, host from mysql.global_priv;
    `);
    const before = await pictureOf(here, 'eve');
    await refused(/the view eve_a\.hostile, whose definer root@localhost is no database user of the account/, 'eve');
    await here.sql('drop view eve_a.hostile');
    await here.sql('create table eve_a.away (id int) engine=merge union=(eve_a.t)');
    await refused(/the table eve_a\.away \(BASE TABLE, MRG_M/i, 'eve');
    await here.sql('drop table eve_a.away');
    await here.sql('create role eves; grant eves to eve@localhost');
    await refused(/the database user eve@localhost, which has roles/, 'eve');
    await here.sql('drop role eves');
    await there.sql('create database eve_b');
    await refused(/the other node has databases of it already, and nothing is overwritten: eve_b/, 'eve');
    await there.sql('drop database eve_b');
    await there.sql("create user eve@localhost identified by 'other'");
    await refused(/there is a database user eve@localhost already, and nothing is overwritten/, 'eve');
    assert.match(await there.sql('show create user eve@localhost'), /PASSWORD '\*/);
    await there.sql('drop user eve@localhost');
    await here.sql(
      'create definer = eve@localhost view eve_a.broken as select id from eve_a.t; alter table eve_a.t change id other int',
    );
    await refused(/the view eve_a\.broken cannot be made/, 'eve');
    await here.sql('drop view eve_a.broken; alter table eve_a.t change other id int');
    assert.is(
      (await pictureOf(here, 'eve')).replaceAll('hostile', ''),
      before
        .split('\n')
        .filter((line) => !line.includes('hostile'))
        .join('\n'),
    );
    assert.is(await pictureOf(there, 'eve'), '');
    assert.is((await here.query('eve', 'secret', 'select id from eve_a.t')).trim(), '1');
  });

  test('tables, their objects and users arrive as they were; others stay untouched', async () => {
    const { token } = await fleet.first.user('ann');
    await here.sql(ANN);
    await there.sql(
      "create database other; create user other@localhost identified by 'x'; grant all on other.* to other@localhost",
    );
    const before = await pictureOf(here, 'ann');
    const foreign = await here.sql('select * from zoo.animals; show grants for report@localhost');
    const { code, stdout, stderr } = await fleet.move(one, 'ann', '--to', 'two');
    assert.is(code, 0, stderr);
    assert.match(stdout, /copying 4 databases and 5 database users/);
    assert.match(stdout, /database users with further rights stay: report@localhost/);
    assert.match(stdout, /ann lives on two, and was read-only for \d/);
    assert.is(
      await pictureOf(there, 'ann'),
      before
        .split('\n')
        .filter((line) => !line.includes('\treport\t'))
        .join('\n'),
    );
    assert.not.match(await pictureOf(here, 'ann'), /^(db|table|user)\t/m);
    assert.is(await here.sql('select * from zoo.animals; show grants for report@localhost'), foreign);
    assert.is(
      await there.query(
        'ann',
        'it\'s "secret" #1',
        'use ann_shop; select body from orders where id = 1; call fill(2); select count(*) from entries; select nextval(numbers); select * from a_view',
      ),
      'Grüße 🎉\n3\n1001\n1\n',
    );
    assert.is(await there.query('reader', 'reads', 'select id from ann_shop.orders where id = 2'), '2\n');
    await there.query('reader', 'reads', 'select body from ann_shop.orders').then(
      () => assert.unreachable('a column without a right'),
      () => undefined,
    );
    await there.query('locked', 'secret', 'select 1').then(
      () => assert.unreachable('the operator has locked it'),
      (error: Error) => assert.match(error.message, /locked/),
    );
    assert.is(
      await there.sql(
        "select count(*) from mysql.global_priv where user like 'hostkeep%'; select count(*) from information_schema.schemata where schema_name like 'hostkeep%'",
      ),
      '0\n0\n',
    );
    assert.is((await fleet.second.ask<{ db_usage: string }>('/api/docker_databases', { token })).body.db_usage, '4');
    assert.equal(await fleet.closed(), []);
  });

  test('doctor finds the programs that move databases', async () => {
    const parts = await fleet.first.hostkeep.plugins.gather('doctor');
    const found = parts.flatMap((part) => (part.ok && part.plugin === 'database-moves' ? part.value : []));
    const { ok, detail } = found.find(({ name }) => name === 'programs that move databases') ?? {};
    assert.equal([ok, detail], [true, 'mariadb-dump and mariadb']);
  });

  test('nothing that was confirmed is lost to a write while the account moves', async () => {
    await fleet.first.user('wil');
    await here.sql(`
      create database wil_a; create table wil_a.notes (n int primary key) engine=innodb; create table wil_a.lines (n int) engine=myisam;
      create table wil_a.large (id int primary key, body longblob); insert into wil_a.large select seq, repeat('x', 1000000) from wil_a.seq_1_to_60;
      create user wil@localhost identified by 'secret'; grant all on \`wil\\_%\`.* to wil@localhost;
    `);
    const client = spawn('mariadb', [...here.clientArgs('wil', 'secret'), '--unbuffered', 'wil_a'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    client.stdin.on('error', () => undefined);
    const ended = once(client, 'exit');
    const [confirmed, write] = [
      [] as number[],
      (n: number) =>
        client.stdin.write(`insert into notes values (${n}); insert into \`lines\` values (${n}); select ${n};\n`),
    ];
    createInterface(client.stdout).on('line', (line) => {
      confirmed.push(Number(line));
      setTimeout(write, PAUSE_MS, Number(line) + 1);
    });
    write(1);
    const { code, stderr } = await fleet.move(one, 'wil', '--to', 'two');
    if (code !== 0) client.kill(); // it would write on beside the next tests
    assert.is(code, 0, stderr);
    await ended;
    const last = confirmed.at(-1) ?? 0;
    assert.ok(last > 0);
    const [notes, lines] = (await there.sql('select count(*) from wil_a.notes; select count(*) from wil_a.lines'))
      .split('\n')
      .map(Number);
    assert.ok((notes ?? 0) >= last && (lines ?? 0) >= last, `${last} confirmed, ${notes} and ${lines} there`);
  });

  test('no table or view appears after the window opens; open transactions finish', async () => {
    await fleet.first.user('cho');
    await here.sql(`
      create database cho_a; create table cho_a.kept (n int primary key); create table cho_a.late (n int primary key);
      create user cho@localhost identified by 'secret'; grant all on \`cho\\_%\`.* to cho@localhost;
    `);
    const clients = ['kept', 'late'].map((table) => {
      const child = spawn('mariadb', [...here.clientArgs('cho', 'secret'), '--unbuffered', 'cho_a'], {
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      child.stdin.on('error', () => undefined);
      child.stdin.write(`begin; insert into ${table} values (1); select 1;\n`);
      return { child, ended: once(child, 'exit'), lines: createInterface(child.stdout) };
    });
    const [churn, slow] = clients;
    if (churn === undefined || slow === undefined) throw new Error('no clients');
    await Promise.all([once(churn.lines, 'line'), once(slow.lines, 'line')]);
    const round = () =>
      churn.child.stdin.write(
        'create table comes (n int); create view goes as select * from comes; drop view goes; drop table comes; select 1;\n',
      );
    churn.lines.on('line', () => setTimeout(round, PAUSE_MS));
    churn.child.stdin.write('commit;\n');
    round();
    const moving = fleet.move(one, 'cho', '--to', 'two');
    const waits =
      "select count(*) from information_schema.processlist where info like 'lock tables%' and state like 'Waiting%'";
    const isWaitedFor = until('the transaction is waited for', async () => (await here.sql(waits)) !== '0\n');
    await Promise.race([isWaitedFor, moving.then(({ stderr }) => assert.unreachable(`the move has ended: ${stderr}`))]);
    slow.child.stdin.end('insert into late values (2); commit;\n');
    const { code, stderr } = await moving;
    assert.is(code, 0, stderr);
    await Promise.all([churn.ended, slow.ended]);
    assert.is(await there.sql('select * from cho_a.kept; select * from cho_a.late'), '1\n1\n2\n');
  });

  test('databases found by grants move with their grants', async () => {
    await fleet.first.user('gil');
    await here.sql(`
      create database gilshop; create table gilshop.t (id int); insert into gilshop.t values (1); create database gilshop2;
      create user gil@localhost identified by 'secret'; grant select, insert on \`gils%\`.* to gil@localhost;
    `);
    const { code, stderr } = await fleet.move(one, 'gil', '--to', 'two');
    assert.is(code, 0, stderr);
    assert.is(
      await there.sql('show grants for gil@localhost'),
      await there.sql(`select 'GRANT USAGE ON *.* TO \`gil\`@\`localhost\` IDENTIFIED BY PASSWORD \\'*14E65567ABDB5135D0CFD9A70B3032C179A49EE7\\''
        union select 'GRANT SELECT, INSERT ON \`gilshop\`.* TO \`gil\`@\`localhost\`' union select 'GRANT SELECT, INSERT ON \`gilshop2\`.* TO \`gil\`@\`localhost\`'`),
    );
    assert.is(await there.query('gil', 'secret', 'select id from gilshop.t'), '1\n');
    assert.is(
      await here.sql("select count(*) from information_schema.schemata where schema_name like 'gilshop%'"),
      '0\n',
    );
    await fleet.first.user('lou');
    await here.sql('create database lous');
    await refused(/the database server is of one account, and the other node does not reach it/, 'lou');
    await here.sql('drop database lous');
  });

  test('where both nodes reach one server, the databases stay, and nothing is dropped', async () => {
    await fleet.first.user('sam');
    await here.sql(
      "create database sam_a; create table sam_a.t (id int); insert into sam_a.t values (7); create user sam@localhost identified by 'secret'; grant all on `sam\\_%`.* to sam@localhost",
    );
    const before = await pictureOf(here, 'sam');
    const { code, stdout, stderr } = await fleet.move(one, 'sam', '--to', 'two');
    assert.is(code, 0, stderr);
    assert.match(stdout, /both nodes reach the same database server/);
    assert.is(await pictureOf(here, 'sam'), before);
    assert.is(await here.query('sam', 'secret', 'select id from sam_a.t'), '7\n');
  });
}
