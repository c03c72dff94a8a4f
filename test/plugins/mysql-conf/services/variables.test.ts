import * as assert from '../../../support/assert.ts';
import mysqlConf from '../../../../plugins/mysql-conf/index.ts';
import { TestServer, type Answer } from '../../../support/hostkeep.ts';
import { hasMariaDb, loginTo, MariaDb } from '../../../support/mariadb.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';

const [databases, mysql] = await needs('databases', 'mysql');
const test = testSuite('mysql-conf, variables');
const LIST = '/api/database-variables';

interface Variable {
  name: string;
  value: string;
  kind: string;
  default: string | null;
  minimum: number | null;
  maximum: number | null;
  choices: string[];
  set_value: string | null;
  files_value: string | null;
  changed_by: string | null;
}
interface List {
  servers: { name: string; problem: string | null; variables: Variable[] }[];
}

let mariaDb: MariaDb;
let server: TestServer;
let token: string;

if (hasMariaDb()) {
  test.before(async () => {
    mariaDb = await MariaDb.start();
    const gone = loginTo('/nonexistent/server.sock');
    server = await TestServer.start({
      plugins: [databases, mysql, mysqlConf],
      config: { databases: { servers: { main: loginTo(mariaDb.socket), gone }, default_server: 'main' } },
    });
    token = await server.token(await server.account('root', '', 'admin'));
  });

  const ask = <T = Record<string, unknown>>(path: string, method = 'GET', body?: unknown): Promise<Answer<T>> =>
    server.ask<T>(path, { token, method, body, address: 'admin' });
  const set = (name: string, value: unknown, at = 'main') => ask(`${LIST}/${at}/${name}`, 'PUT', { value });
  const reset = (name: string) => ask(`${LIST}/main/${name}`, 'DELETE');
  const list = async () => (await ask<List>(LIST)).body.servers;
  const variable = async (name: string) =>
    (await list()).find((each) => each.name === 'main')?.variables.find((each) => each.name === name);
  const inForce = async (name: string) => (await mariaDb.sql(`select @@global.${name}`)).trim();
  const refused = async (promise: Promise<Answer<Record<string, unknown>>>, status: number, code: string) => {
    const { status: got, body } = await promise;
    assert.equal([got, body['error']], [status, code], JSON.stringify(body));
  };
  const everything = () =>
    mariaDb.sql('select variable_name, global_value from information_schema.system_variables order by 1');
  const told = async (text: string) => {
    const rows = await server.hostkeep.core.store.all<{ line: string }>('select line from events order by id');
    return rows.map(({ line }) => line).filter((line) => line.includes(text));
  };

  test('variables that reach beyond the server’s work, and bad values, are refused', async () => {
    const before = await everything();
    for (const name of [
      ...['general_log_file', 'slow_query_log_file', 'secure_file_priv', 'init_connect', 'init_file', 'plugin_dir'],
      ...[
        'datadir',
        'local_infile',
        'read_only',
        'require_secure_transport',
        'old_passwords',
        'proxy_protocol_networks',
      ],
      ...['wait_timeout = 5; drop database mysql', 'WAIT_TIMEOUT', 'constructor', '__proto__'],
    ])
      await refused(set(encodeURIComponent(name), '1'), 404, 'database_variable_not_found');
    for (const [name, value] of [
      ...[
        ['wait_timeout', '5'],
        ['wait_timeout', '1e3'],
        ['wait_timeout', '60; set global x = 1'],
        ['wait_timeout', ''],
      ],
      ...[
        ['max_connections', '1'],
        ['sort_buffer_size', '1000000000'],
        ['max_statement_time', '0.5'],
      ],
      ...[
        ['slow_query_log', 'MAYBE'],
        ['sql_mode', 'ANSI,NOPE'],
        ['time_zone', "SYSTEM'; drop database mysql; -- "],
      ],
      ['innodb_flush_log_at_trx_commit', '3'],
    ] as [string, string][])
      await refused(set(name, value), 400, 'invalid_database_variable');
    assert.is((await set('wait_timeout', 60)).status, 400);
    await refused(set('wait_timeout', '60', 'other'), 404, 'database_server_not_found');
    await refused(set('wait_timeout', '60', 'gone'), 503, 'databases_unavailable');
    await refused(set('time_zone', 'Europe/Nowhere'), 409, 'database_variable_refused');
    await refused(reset('wait_timeout'), 404, 'database_variable_not_found');
    assert.is(await everything(), before);
    assert.equal(await server.hostkeep.core.store.all('select name from mysql_variables'), []);
    assert.equal(await told('database server'), []);
  });

  test('each server has its variables with bounds, or why it has none', async () => {
    const [gone, main] = await list();
    assert.equal([gone?.name, gone?.variables, main?.problem], ['gone', [], null]);
    assert.match(gone?.problem ?? '', /does not answer/);
    assert.ok((main?.variables.length ?? 0) > 20);
    assert.equal(await variable('max_allowed_packet'), {
      value: '16777216',
      ...{ name: 'max_allowed_packet', kind: 'integer', default: '16777216' },
      ...{ minimum: 1_048_576, maximum: 1_073_741_824, choices: [] },
      ...{ set_value: null, files_value: null, changed_by: null, changed_at: null },
    });
    assert.equal((await variable('slow_query_log'))?.choices, ['OFF', 'ON']);
  });

  test('a variable is set, outlives a restart of the server, and is reset', async () => {
    assert.equal((await set('max_allowed_packet', '2000000')).body, { changed: true });
    assert.is((await set('sql_mode', 'ANSI_QUOTES,STRICT_ALL_TABLES')).status, 200);
    assert.is((await set('slow_query_log', 'ON')).status, 200);
    assert.is((await set('long_query_time', '2.5')).status, 200);
    assert.is((await set('time_zone', '+02:00')).status, 200);
    const shown = await variable('max_allowed_packet');
    assert.equal(
      [shown?.value, shown?.set_value, shown?.files_value, shown?.changed_by],
      ['1999872', '1999872', '16777216', 'root'],
      'the server rounds',
    );
    assert.match(
      (await told('max_allowed_packet'))[0] ?? '',
      /User 'root' set max_allowed_packet of the database server main to 1999872/,
    );
    await mariaDb.sql('set global wait_timeout = 777');
    await mariaDb.stop();
    await mariaDb.up();
    await eventually(
      'what was set is set again',
      () => inForce('max_allowed_packet'),
      (now) => now === '1999872',
    );
    await eventually(
      'the last one is',
      () => inForce('time_zone'),
      (now) => now === '+02:00',
    );
    assert.equal([await inForce('slow_query_log'), await inForce('wait_timeout')], ['1', '28800']);
    assert.is((await told('max_allowed_packet')).length, 1, 'which is no event');
    await mariaDb.sql('set global long_query_time = 7');
    for (const name of ['sql_mode', 'slow_query_log', 'time_zone', 'max_allowed_packet'])
      assert.equal((await reset(name)).body, { changed: true });
    assert.equal([await inForce('max_allowed_packet'), await inForce('slow_query_log')], ['16777216', '0']);
    assert.match((await told('back to its files'))[0] ?? '', /gave sql_mode of the database server main back/);
    const byHand = await variable('long_query_time');
    assert.equal([byHand?.value, byHand?.set_value], ['7.000000', '2.500000'], 'a statement of others stays');
    assert.is((await reset('long_query_time')).status, 200);
    assert.is(await inForce('long_query_time'), '10.000000');
  });

  test('a change whose process died is ended, or taken back if the server refuses it', async () => {
    const { store } = server.hostkeep.core;
    const pend = (name: string, value: string) =>
      store.write((tx) =>
        tx.run(
          `insert into mysql_variables (node, server, name, value, files_value, is_pending, changed_by, changed_at, ip)
            values ('', 'main', ?, ?, 'SYSTEM', 1, 'root', 1, '')`,
          ...[name, value],
        ),
      );
    await pend('time_zone', '+03:00');
    await until('it is ended', async () => (await told('+03:00')).length === 1);
    assert.is(await inForce('time_zone'), '+03:00');
    assert.is((await reset('time_zone')).status, 200);
    await pend('time_zone', 'Europe/Nowhere');
    await until('it is taken back', async () => (await store.all('select 1 from mysql_variables')).length === 0);
    assert.equal([await inForce('time_zone'), await told('Nowhere')], ['SYSTEM', []]);
  });
}
