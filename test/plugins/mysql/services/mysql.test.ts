import { once } from 'node:events';
import { createServer } from 'node:net';
import * as assert from '../../../support/assert.ts';
import mysql from '../../../../plugins/mysql/index.ts';
import { TestServer, type Answer, type RequestOptions } from '../../../support/hostkeep.ts';
import { hasMariaDb, loginTo, MariaDb } from '../../../support/mariadb.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';
import { pick } from '../../../support/lists.ts';

const [databases] = await needs('databases');
const test = testSuite('mysql');
const LIST = '/api/databases';
const USERS = '/api/database-users';
const PROCESSES = '/api/database-processes';

type Who = Awaited<ReturnType<TestServer['user']>>;
interface User {
  name: string;
  host: string;
  is_locked: boolean;
  access: { database: string; privileges: string[] }[];
}
interface Secret {
  name: string;
  host: string;
  password: string;
}

let mariaDb: MariaDb;
let server: TestServer;
let [ann, ben] = [] as unknown as [Who, Who];

const settings = (socket: string) => ({ databases: { servers: { main: loginTo(socket) }, default_server: 'main' } });

if (hasMariaDb()) {
  test.before(async () => {
    mariaDb = await MariaDb.start(
      'create database zoo; create database ben_own; create user admin@localhost identified by "x";',
    );
    server = await TestServer.start({
      plugins: [databases, mysql],
      config: { ...settings(mariaDb.socket), mysql: { users_limit: 6 } },
    });
    ann = await server.user('ann');
    ben = await server.user('ben');
  });
  test.before.each(async () => {
    for (const { name, host } of await usersOf(ann))
      await ask(`${USERS}/${name}?host=${encodeURIComponent(host)}`, { method: 'DELETE' });
    for (const name of await databasesOf(ann)) await ask(`${LIST}/${name}`, { method: 'DELETE' });
  });

  const ask = <T = Record<string, unknown>>(path: string, options: RequestOptions = {}): Promise<Answer<T>> =>
    server.ask<T>(path, { token: ann.token, ...options });
  const post = <T = Record<string, unknown>>(path: string, body: unknown, who = ann) =>
    ask<T>(path, { method: 'POST', body, token: who.token });
  const remove = (path: string, who = ann) => ask(path, { method: 'DELETE', token: who.token });
  const databasesOf = async (who: Who) =>
    (await ask<{ databases: string[] }>(LIST, { token: who.token })).body.databases;
  const usersOf = async (who: Who) => (await ask<User[]>(USERS, { token: who.token })).body;
  const makeUser = async (name = 'app') => (await post<Secret>(USERS, { name })).body;
  const setAccess = (user: string, database: string, privileges: string[], who = ann) =>
    ask(`${USERS}/${user}/databases/${database}`, { method: 'PUT', body: { privileges }, token: who.token });
  const as = ({ name, password }: Secret, sql: string) => mariaDb.query(name, password, sql);
  const refused = async (promise: Promise<Answer<Record<string, unknown>>>, status: number, code: string) => {
    const answer = await promise;
    assert.equal([answer.status, answer.body['error']], [status, code], JSON.stringify(answer.body));
    return answer;
  };
  /** Resolves if the statement fails. */
  const fails = (statement: Promise<unknown>, why = /./): Promise<void> =>
    statement.then(
      () => assert.unreachable('it ran'),
      (error: Error) => assert.match(error.message, why),
    );
  /** All that the server has, apart from what it needs itself. */
  const picture = () =>
    mariaDb.sql(`select schema_name from information_schema.schemata order by 1;
      select user, host, priv from mysql.global_priv order by 1, 2; select * from mysql.db order by 1, 2, 3`);

  test('SQL and everything else that is no name is refused in each field', async () => {
    const before = await picture();
    const texts = [
      "x'; drop database zoo; -- ",
      'a`; drop database zoo; #',
      'a b',
      'A',
      'ä',
      '',
      '%',
      '\\',
      'a\0',
      'a-b',
    ];
    for (const name of texts) {
      assert.is((await post(LIST, { name })).status, 400, name);
      assert.is((await post(USERS, { name })).status, 400, name);
      const inPath = encodeURIComponent(name);
      if (name === '' || name.includes('\0')) continue;
      await refused(remove(`${LIST}/${inPath}`), 404, 'database_not_found');
      await refused(ask(`${LIST}/${inPath}/tables`), 404, 'database_not_found');
      await refused(remove(`${USERS}/${inPath}`), 404, 'database_user_not_found');
      await refused(setAccess(inPath, 'ben_own', ['SELECT']), 404, 'database_user_not_found');
      await refused(remove(`${USERS}/ann_app?host=${inPath}`), 404, 'database_user_not_found');
      if (name !== '%') assert.is((await post(USERS, { name: 'app', host: name })).status, 400, name);
    }
    await refused(post(LIST, { name: 'a'.repeat(61) }), 400, 'invalid_database_name');
    assert.is((await post(LIST, { name: 'a'.repeat(65) })).status, 400);
    for (const privilege of ['ALL', 'SUPER', 'FILE', 'GRANT OPTION', 'SELECT, FILE', 'select'])
      assert.is((await setAccess('ann_app', 'ann_shop', [privilege])).status, 400, privilege);
    assert.is((await setAccess('ann_app', 'ann_shop', [])).status, 400);
    assert.is(await picture(), before);
  });

  test('what is of another account or of the server is not there', async () => {
    const bens = (await post<Secret>(USERS, { name: 'app' }, ben)).body;
    assert.is((await setAccess(bens.name, 'ben_own', ['SELECT'], ben)).status, 200);
    const app = await makeUser();
    const before = await picture();
    for (const name of ['zoo', 'ben_own', 'mysql', 'sys', 'information_schema', 'performance_schema', 'ann_none']) {
      await refused(remove(`${LIST}/${name}`), 404, 'database_not_found');
      await refused(ask(`${LIST}/${name}/tables`), 404, 'database_not_found');
      await refused(setAccess(app.name, name, ['SELECT']), 404, 'database_not_found');
      await refused(remove(`${USERS}/${app.name}/databases/${name}`), 404, 'database_not_found');
    }
    for (const name of [bens.name, 'root', 'admin', 'mariadb.sys', 'ann_none']) {
      await refused(remove(`${USERS}/${name}`), 404, 'database_user_not_found');
      await refused(post(`${USERS}/${name}/password`, undefined), 404, 'database_user_not_found');
      await refused(setAccess(name, 'ben_own', ['SELECT']), 404, 'database_user_not_found');
    }
    assert.is(await picture(), before);
    const shown = JSON.stringify([await databasesOf(ann), await usersOf(ann)]);
    assert.is(shown.includes('ben') || shown.includes('zoo'), false, shown);
  });

  test('accounts named like system databases do not get them', async () => {
    for (const [username, rest] of [
      ['information', 'schema'],
      ['performance', 'schema'],
    ] as const) {
      const who = await server.user(username);
      await refused(post(LIST, { name: rest }, who), 409, 'database_exists');
      assert.equal(await databasesOf(who), []);
      await refused(remove(`${LIST}/${username}_${rest}`, who), 404, 'database_not_found');
    }
  });

  test("a user with the prefix and wider rights is the operator's", async () => {
    await mariaDb.sql(`create user ann_root@localhost; grant super on *.* to ann_root@localhost;
      create user ann_zoo@localhost; grant select on zoo.* to ann_zoo@localhost;
      create user ann_table@localhost; grant select on ben_own.* to ann_table@localhost;
      create role ann_role; create user ann_many@localhost; grant select on \`ann%\`.* to ann_many@localhost;
      create database anna; create user ann_has_role@localhost; grant ann_role to ann_has_role@localhost`);
    const before = await picture();
    assert.equal(await usersOf(ann), []);
    for (const name of ['ann_root', 'ann_zoo', 'ann_table', 'ann_role', 'ann_many', 'ann_has_role']) {
      await refused(post(`${USERS}/${name}/password`, undefined), 404, 'database_user_not_found');
      await refused(remove(`${USERS}/${name}`), 404, 'database_user_not_found');
    }
    await refused(post(USERS, { name: 'root' }), 409, 'database_user_exists');
    assert.is(await picture(), before);
    await mariaDb.sql(`drop user ann_root@localhost, ann_zoo@localhost, ann_table@localhost, ann_many@localhost,
      ann_has_role@localhost; drop role ann_role; drop database anna`);
  });

  test('no more databases are made than the plan allows, also at once', async () => {
    const { accounts, plans } = server.hostkeep.core;
    const { limits } = await plans.get('developer');
    await plans.update('developer', { limits: { ...limits, db_limit: 3 } });
    const who = await server.user('greedy');
    const answers = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => post(LIST, { name }, who)));
    assert.equal(answers.map(({ status }) => status).toSorted(), [201, 201, 201, 409, 409, 409]);
    await refused(post(LIST, { name: 'g' }, who), 409, 'database_limit_reached');
    assert.is((await databasesOf(who)).length, 3);
    await plans.update('developer', { limits });
    assert.is((await post(LIST, { name: 'g' }, who)).status, 201);
    assert.is((await accounts.get('greedy')).plan?.limits['db_limit'] ?? 0, 0);
  });

  test('no more users are made than the plan allows, also at once', async () => {
    const { plans } = server.hostkeep.core;
    const { limits } = await plans.get('developer');
    await plans.update('developer', { limits: { ...limits, db_users_limit: 2 } });
    const who = await server.user('many');
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => post(USERS, { name }, who)));
    assert.equal(answers.map(({ status }) => status).toSorted(), [201, 201, 409, 409]);
    const { body } = await refused(post(USERS, { name: 'g' }, who), 409, 'database_users_limit_reached');
    assert.is(body['detail'], 'an account has at most 2 database users');
    assert.is((await usersOf(who)).length, 2);
    await plans.update('developer', { limits: { ...limits, db_users_limit: 1000 } });
    for (const name of ['e', 'f', 'h', 'i']) assert.is((await post(USERS, { name }, who)).status, 201);
    await refused(post(USERS, { name: 'g' }, who), 409, 'database_users_limit_reached');
    await plans.update('developer', { limits });
  });

  test('a database is made, shown, and dropped with the rights on it', async () => {
    const made = await post(LIST, { name: 'shop' });
    assert.equal([made.status, made.body], [201, { name: 'ann_shop' }]);
    await refused(post(LIST, { name: 'shop' }), 409, 'database_exists');
    await mariaDb.sql(
      `use ann_shop; create table ann_shop.t (id int primary key); insert into ann_shop.t values (1); create view ann_shop.v as select 1;
        create table ann_shop.\`a-b ä\` (id int, text text) stats_auto_recalc = 0 partition by hash (id) partitions 2;
        insert into ann_shop.\`a-b ä\` select seq, repeat('x', 900) from seq_1_to_2000;
        create table ann_shop.old (id int) engine=myisam; insert into ann_shop.old values (1)`,
    );
    const { body } = await ask(LIST);
    assert.equal(body['databases'], ['ann_shop']);
    assert.equal(body['server'], { host: 'localhost', port: 0, socket: mariaDb.socket });
    assert.is(body['prefix'], 'ann_');
    const tables = (await ask<{ tables: Record<string, unknown>[]; total: number }>(`${LIST}/ann_shop/tables`)).body;
    assert.is(tables.total, 4);
    assert.equal(
      tables.tables.map(({ name, engine, rows }) => [name, engine, rows]),
      [
        ['a-b ä', 'InnoDB', 2000],
        ['old', 'MyISAM', 1],
        ['t', 'InnoDB', 1],
        ['v', '', 0],
      ],
    );
    const [large, old, small, view] = tables.tables.map((table) => Number(table['size_bytes']));
    assert.ok((large ?? 0) > 1_800_000, 'before the server has estimated it');
    assert.equal([(old ?? 0) > 0 && (old ?? 0) < 10_000, (small ?? 0) > 10_000, view], [true, true, 0]);
    const app = await makeUser();
    assert.is((await setAccess(app.name, 'ann_shop', ['SELECT'])).status, 200);
    assert.equal((await remove(`${LIST}/ann_shop`)).body, { changed: true });
    assert.equal(await databasesOf(ann), []);
    assert.is((await mariaDb.sql("select * from mysql.db where user = 'ann_app'")).trim(), '');
    const { lines } = await server.hostkeep.core.events.page(ann.account.id, '', 0, 10);
    const text = lines.join('\n');
    for (const what of ['created the database ann_shop', 'dropped the database ann_shop'])
      assert.ok(text.includes(what), text);
    assert.is(text.includes(app.password), false);
  });

  test('a user gets exactly the rights that are asked for', async () => {
    await post(LIST, { name: 'shop' });
    await post(LIST, { name: 'shopxy' });
    await mariaDb.sql('create database annashop; create table ann_shop.t (id int); create table annashop.t (id int)');
    const app = await makeUser();
    assert.is(app.name, 'ann_app');
    await as(app, 'select 1');
    await fails(as(app, 'select * from ann_shop.t'));
    assert.is((await setAccess(app.name, 'ann_shop', ['SELECT', 'INSERT', 'CREATE TEMPORARY TABLES'])).status, 200);
    await as(app, 'insert into ann_shop.t values (1); select * from ann_shop.t');
    await fails(as(app, 'drop table ann_shop.t'));
    await fails(as(app, 'select * from annashop.t'));
    await setAccess(app.name, 'ann_shop', ['SELECT', 'DROP']);
    const [shown] = await usersOf(ann);
    assert.equal(shown?.access, [{ database: 'ann_shop', privileges: ['DROP', 'SELECT'] }]);
    await fails(as(app, 'insert into ann_shop.t values (1)'));
    await mariaDb.sql('grant select on `ann\\_shop`.* to ann_app@localhost with grant option');
    assert.equal((await remove(`${USERS}/${app.name}/databases/ann_shop`)).body, { changed: true });
    await fails(as(app, 'select * from ann_shop.t'));
    await refused(remove(`${USERS}/${app.name}/databases/ann_shop`), 404, 'database_access_not_found');
    assert.equal((await usersOf(ann))[0]?.access, []);
    await mariaDb.sql('drop database annashop');
  });

  test('a new password ends the old one, and a dropped user its connections', async () => {
    const app = await makeUser();
    await refused(post(USERS, { name: 'app' }), 409, 'database_user_exists');
    const renewed = (await post<Secret>(`${USERS}/${app.name}/password`, undefined)).body;
    assert.is(renewed.name, app.name);
    assert.is.not(renewed.password, app.password);
    await fails(as(app, 'select 1'));
    await as(renewed, 'select 1');
    const sleeping = fails(as(renewed, 'select sleep(600)'));
    await until('it sleeps', async () => (await mariaDb.sql('show processlist')).includes('sleep(600)'));
    assert.equal((await remove(`${USERS}/${app.name}`)).body, { changed: true });
    await sleeping;
    await fails(as(renewed, 'select 1'));
  });

  test('only with its feature an account lets users in from elsewhere', async () => {
    const body = { name: 'far', host: '192.0.2.%' };
    await server.hostkeep.core.accounts.setFeature('ann', 'remote_mysql', false);
    await refused(post(USERS, body), 403, 'remote_access_disabled');
    await server.hostkeep.core.accounts.setFeature('ann', 'remote_mysql', undefined);
    for (const host of ['example.com', '192.0.2', '%.com', '1.2.3.4/33', '::g'])
      await refused(post(USERS, { name: 'far', host }), 400, 'invalid_database_host');
    assert.is((await post(USERS, body)).status, 201);
    assert.is((await post(USERS, { name: 'far', host: '2001:db8::1' })).status, 201);
    assert.equal(pick(await usersOf(ann), 'host'), ['192.0.2.%', '2001:db8::1']);
  });

  test('an account sees and ends the processes of its users only', async () => {
    const app = await makeUser();
    const bens = (await post<Secret>(USERS, { name: 'other' }, ben)).body;
    const bensSleep = fails(as(bens, 'select sleep(600) as "of ben"'));
    const sleeping = fails(as(app, 'select sleep(600) as "of ann"'));
    const processes = await eventually(
      'it is shown',
      async () => (await ask<{ id: number; user: string; statement: string }[]>(PROCESSES)).body,
      (all) => all.some(({ statement }) => statement.includes('of ann')),
    );
    assert.equal(pick(processes, 'user'), ['ann_app']);
    const bensId = (await mariaDb.sql("select id from information_schema.processlist where user = 'ben_other'")).trim();
    await refused(remove(`${PROCESSES}/${bensId}`), 404, 'database_process_not_found');
    await refused(remove(`${PROCESSES}/999999`), 404, 'database_process_not_found');
    await refused(remove(`${PROCESSES}/x`), 404, 'database_process_not_found');
    assert.equal((await remove(`${PROCESSES}/${processes[0]?.id}`)).body, { changed: true });
    await sleeping;
    assert.is((await remove(`${USERS}/ben_other`, ben)).status, 200);
    await bensSleep;
  });

  test('users of a suspended account are locked, and those that were open opened again', async () => {
    const [app, closed] = [await makeUser(), await makeUser('closed')];
    await mariaDb.sql('alter user ann_closed@localhost account lock');
    const sleeping = fails(as(app, 'select sleep(600)'));
    await until('it sleeps', async () => (await mariaDb.sql('show processlist')).includes('sleep(600)'));
    await server.hostkeep.core.accounts.suspend('ann');
    await sleeping;
    await fails(as(app, 'select 1'), /locked/);
    await server.hostkeep.core.accounts.unsuspend('ann');
    ann = { ...ann, token: await server.token(ann.account) };
    await until('it is open', () => as(app, 'select 1').then(Boolean, () => false));
    await fails(as(closed, 'select 1'), /locked/);
  });

  test('what a process was about when it was killed is ended by the next one', async () => {
    await mariaDb.sql(`create database ann_half; create database ann_going; create database ann_gone2;
      create user ann_half@localhost; create user ann_was@localhost; create user ann_going@localhost; grant select on \`ann\\_gone\`.* to ann_going@localhost;
      drop database ann_gone2`);
    for (const name of ['stays', 'loses']) await makeUser(name);
    await mariaDb.sql('create database ann_kept; grant select on `ann\\_kept`.* to ann_loses@localhost');
    const digest = async (name: string) => {
      const sql = `select sha2(json_value(priv, '$.authentication_string'), 256) from mysql.global_priv where user = '${name}'`;
      return (await mariaDb.sql(sql)).trim();
    };
    const dead = '1:1';
    const rows = [
      ['database', 'ann_half', '', 'create'],
      ['database', 'ann_never', '', 'create'],
      ['database', 'ann_going', '', 'drop'],
      ['database', 'ann_gone', '', 'drop'],
      ['user', 'ann_half', 'localhost', 'create', '{"isChecked":true}'],
      ['user', 'ann_was', 'localhost', 'create'], // killed before it was seen that there is one
      ['user', 'ann_never', 'localhost', 'create', '{"isChecked":true}'],
      ['user', 'ann_going', 'localhost', 'drop'],
      ['user', 'ann_gone', 'localhost', 'drop'],
      ['access', 'ann_stays', 'localhost', 'create', '{"database":"ann_kept","privileges":["INSERT","SELECT"]}'],
      ['access', 'ann_loses', 'localhost', 'drop', '{"database":"ann_kept"}'],
      ['access', 'ann_never', 'localhost', 'create', '{"database":"ann_kept","privileges":["SELECT"]}'],
      ['password', 'ann_stays', 'localhost', 'create', '{"before":"another one"}'],
      ['password', 'ann_loses', 'localhost', 'create', JSON.stringify({ before: await digest('ann_loses') })],
    ];
    const { store } = server.hostkeep.core;
    await store.write(async (tx) => {
      for (const [kind = '', name = '', host = '', change = '', about = '{}'] of rows)
        await tx.run(
          `insert into mysql_changes (account_id, kind, name, host, change, about, ip, claimed_by)
            values (?, ?, ?, ?, ?, ?, ?, ?)`,
          ...([ann.account.id, kind, name, host, change, about, '192.0.2.7', dead] as const),
        );
    });
    await until('all are ended', async () => (await store.all('select 1 from mysql_changes')).length === 0);
    assert.equal(await databasesOf(ann), ['ann_half', 'ann_kept']);
    assert.equal(
      (await usersOf(ann)).map(({ name, access }) => [name, access]),
      [
        ['ann_loses', []],
        ['ann_stays', [{ database: 'ann_kept', privileges: ['INSERT', 'SELECT'] }]],
        ['ann_was', []],
      ],
    );
    const { lines } = await server.hostkeep.core.events.page(ann.account.id, '', 0, 8);
    const text = lines.join('\n');
    assert.ok(text.includes('created the database ann_half from IP 192.0.2.7'), text);
    for (const what of [
      'gave the database user ann_stays@localhost rights on ann_kept: INSERT, SELECT from IP 192.0.2.7',
      'took the rights on ann_kept from the database user ann_loses@localhost from IP 192.0.2.7',
      'gave the database user ann_stays@localhost a new password from IP 192.0.2.7',
    ])
      assert.ok(text.includes(what), text);
    assert.is(text.includes('ann_loses@localhost a new password'), false, text);
    for (const what of ['database ann_going', 'database ann_gone', 'user ann_going@', 'user ann_gone@'])
      assert.ok(text.includes(`dropped the database ${what.replace('database ', '')}`), text);
    assert.is(text.includes('ann_never') || text.includes('user ann_half'), false, text);
  });

  test('a purge drops the users of a removed account, and names those with wider rights', async () => {
    const who = await server.user('gone');
    await post(USERS, { name: 'app' }, who);
    await mariaDb.sql('create user gone_wide@localhost; grant select on zoo.* to gone_wide@localhost');
    const removed = { ...who.account, removedAt: Date.now() };
    const purge = async () => {
      const [part] = await server.hostkeep.plugins.gather('purge', removed, new AbortController().signal);
      if (part?.ok !== true) throw part?.error;
      return part.value.find(({ what }) => what === 'database users');
    };
    const first = await purge();
    assert.is(first?.removed, 1);
    assert.match(first?.problem ?? '', /gone_wide@localhost/);
    await mariaDb.sql('drop user gone_wide@localhost');
    assert.equal(await purge(), { what: 'database users', removed: 0 });
  });

  test('where names do not say whose databases are, nothing is managed', async () => {
    for (const over of [{ ownership: 'grants', database_user: '{username}' }, undefined]) {
      const servers = over === undefined ? {} : { main: { ...loginTo(mariaDb.socket), ...over } };
      const other = await TestServer.start({
        plugins: [databases, mysql],
        config: { databases: { servers, default_server: over === undefined ? '' : 'main' } },
      });
      const { token } = await other.user('ann');
      const { body } = await other.ask(LIST, { token });
      assert.equal([body['databases'], body['server']], [[], null]);
      assert.equal((await other.ask(USERS, { token })).body, []);
      assert.equal((await other.ask(PROCESSES, { token })).body, []);
      for (const path of [LIST, USERS])
        await refused(other.ask(path, { token, method: 'POST', body: { name: 'x' } }), 409, 'databases_not_managed');
      await other.close();
    }
  });

  // threat hostile-backend: what a database server sends without end costs a bounded part of it
  test('a server that sends too much is 503', async () => {
    const endless = Buffer.alloc(2 ** 24 + 3, 'a')
      .fill(0xff, 0, 3)
      .fill(0, 3, 4); // the longest packet, which goes on in the next
    const hostile = createServer((socket) => {
      const send = () => void (socket.destroyed || socket.write(endless, send));
      socket.on('error', () => undefined);
      send();
    });
    await once(hostile.listen(0, '127.0.0.1'), 'listening');
    const { port } = hostile.address() as { port: number };
    const main = { ...loginTo(''), port };
    const other = await TestServer.start({
      plugins: [databases, mysql],
      config: { databases: { servers: { main }, default_server: 'main' } },
    });
    const { token } = await other.user('ann');
    for (const path of [LIST, USERS, PROCESSES])
      await refused(other.ask(path, { token }), 503, 'databases_unavailable');
    await other.close();
    hostile.close();
  });

  test('while the server is gone all is 503, and what was begun is ended when it is back', async () => {
    await post(LIST, { name: 'shop' });
    await mariaDb.stop();
    for (const [path, options] of [
      [LIST, {}],
      [LIST, { method: 'POST', body: { name: 'late' } }],
      [`${LIST}/ann_shop`, { method: 'DELETE' }],
      [USERS, {}],
      [PROCESSES, {}],
    ] as const) {
      const { headers } = await refused(ask(path, options), 503, 'databases_unavailable');
      assert.ok(Number(headers.get('retry-after')) > 0);
    }
    await mariaDb.up();
    assert.equal(await databasesOf(ann), ['ann_shop']);
    assert.is((await post(LIST, { name: 'late' })).status, 201);
  });
}
