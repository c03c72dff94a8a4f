import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { AccountDatabases, type Unit } from '../../../plugins/databases/account-databases.ts';
import type { DatabaseSizes } from '../../../plugins/databases/schema.ts';
import { parseOptions } from '../../../plugins/databases/mysql/option-file.ts';
import { ServerCatalogue, isAmbiguous, withoutLongerNames } from '../../../plugins/databases/mysql/server-catalogue.ts';
import { GrantPattern } from '../../../plugins/databases/mysql/grant-pattern.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('databases');
const MIB = 2 ** 20;
let server: TestServer;
test.before(async () => void (server = await TestServer.start()));

function putFile(root: string, name: string, sizeBytes: number): void {
  mkdirSync(join(root, 'databases'), { recursive: true });
  writeFileSync(join(root, 'databases', name), Buffer.alloc(sizeBytes));
}

test('bad input is refused', async () => {
  const { asks } = await server.user('bad');
  for (const unit of ['', 'tb', 'MB', 'bytes%20']) await asks(`GET /api/mysql-size?unit=${unit}`, '400 invalid_unit');
  await asks('GET /api/mysql-size?unit=kb&unit=mb', 400);
  await asks('GET /api/mysql-size?show_all=all', 400);
  for (const query of ['', '?database=']) await asks(`GET /api/database-size${query}`, '400 invalid_request');
});

test('an account without files has no databases', async () => {
  const { asks } = await server.user('bare');
  await asks('GET /api/docker_databases', 200, { db_usage: '0' });
  assert.equal(await asks('GET /api/mysql-size?show_all=true', 200), []);
});

test('each of the two features opens something of its own', async () => {
  const { rows } = await server.user('gina');
  const open = (...[all, size, one]: readonly [number, number, number]) =>
    rows(
      ['GET /api/docker_databases', all],
      ['GET /api/mysql-size', size],
      ['GET /api/database-size?database=none', one],
    );
  await open(200, 200, 404);
  await server.hostkeep.core.accounts.setFeature('gina', 'databases_size_info', false);
  await open(200, 403, 403);
  await server.hostkeep.core.accounts.setFeature('gina', 'databases_size_info', true);
  await server.hostkeep.core.accounts.setFeature('gina', 'mysql', false);
  await open(403, 200, 404);
});

test('the number of files that was found last is known after a restart', async () => {
  const data = temporaryFolder();
  const first = await TestServer.start({ data });
  const [{ account, token }, other] = [await first.user('ann'), await first.account('bob')];
  putFile(account.filesRoot, 'shop.sqlite', 10);
  const found = async (at: TestServer) => {
    const parts = await at.hostkeep.plugins.gather('accountsUsage', [account, other]);
    const part = parts.find(({ plugin }) => plugin === 'databases');
    return part?.ok === true ? [account, other].map(({ id }) => part.value.get(id)?.[0]?.used) : [];
  };
  assert.equal(await found(first), [undefined, undefined], 'nobody looked for any yet');
  assert.equal((await first.ask('/api/docker_databases', { token })).body, { db_usage: '1' });
  await first.close();
  const second = await TestServer.start({ data });
  assert.equal(await found(second), [1, undefined]);
});

test('without a server, exactly the SQLite files in the databases folder are databases', async () => {
  const { account, token } = await server.user('ann');
  const other = await server.user('ben');
  putFile(account.filesRoot, 'shop.sqlite', 3 * MIB + 1);
  putFile(account.filesRoot, 'shop.sqlite-wal', MIB);
  putFile(account.filesRoot, 'empty.DB', 0);
  putFile(account.filesRoot, 'it\'s "q".sqlite3', 100);
  putFile(account.filesRoot, 'notes.txt', 10);
  putFile(other.account.filesRoot, 'theirs.sqlite', 10);
  symlinkSync(
    join(other.account.filesRoot, 'databases/theirs.sqlite'),
    join(account.filesRoot, 'databases/link.sqlite'),
  );
  mkdirSync(join(account.filesRoot, 'databases/folder.sqlite'));
  assert.equal((await server.ask('/api/docker_databases', { token })).body, { db_usage: '3' });
  const { body, headers } = await server.ask('/api/mysql-size', { token });
  assert.equal(body, [
    { Database: 'empty.DB', 'Size (MB)': 0, 'Size (BYTES)': 0 },
    { Database: 'it\'s "q".sqlite3', 'Size (MB)': 0.000095, 'Size (BYTES)': 100 },
    { Database: 'shop.sqlite', 'Size (MB)': 4, 'Size (BYTES)': 4 * MIB + 1 },
  ]);
  assert.ok(Math.abs(Date.parse(headers.get('last-modified') ?? '') - Date.now()) < 60_000);
  const size = async (name: string) =>
    (await server.ask(`/api/database-size?database=${encodeURIComponent(name)}`, { token })).body;
  assert.equal(await size('shop.sqlite'), { size: '4.1M' });
  assert.equal(await size('empty.DB'), { size: '0' });
  const notFound = { error: 'database_not_found', status: 404, detail: 'there is no such database' };
  for (const name of ['theirs.sqlite', 'nothing', 'link.sqlite', '../notes.txt']) {
    const { error, status, detail } = await size(name);
    assert.equal({ error, status, detail }, notFound, name);
  }
});

test('each unit has its own key, in addition to megabytes', async () => {
  const { account, token } = await server.user('cleo');
  putFile(account.filesRoot, 'a.sqlite', 1.5 * MIB);
  const entry = async (query: string) => (await server.ask<unknown[]>(`/api/mysql-size?${query}`, { token })).body[0];
  assert.equal(await entry('unit=bytes'), { Database: 'a.sqlite', 'Size (MB)': 1.5, 'Size (BYTES)': 1.5 * MIB });
  assert.equal(await entry('unit=kb'), { Database: 'a.sqlite', 'Size (MB)': 1.5, 'Size (KB)': 1536 });
  assert.equal(await entry('unit=mb'), { Database: 'a.sqlite', 'Size (MB)': 1.5 });
  assert.equal(await entry('unit=gb&show_all=1'), { Database: 'a.sqlite', 'Size (MB)': 1.5, 'Size (GB)': 0.0015 });
});

test('in no unit a size that is not 0 is shown as 0', () => {
  const sizes = [0, 1, 4, 5, 511, 5242, 5243, MIB, 3.8 * MIB, 5_368_709, 1.234 * 1024 * MIB].map(Math.round);
  const databases = new AccountDatabases(
    sizes.map((sizeBytes, i) => ({ name: `d${i}`, sizeBytes })),
    [],
    0,
  );
  const shown = (unit: Unit, key: keyof DatabaseSizes[number]) =>
    (JSON.parse(Buffer.from(databases.sizes(unit, false).body).toString()) as DatabaseSizes).map((entry) => entry[key]);
  for (const [unit, key] of [
    ['mb', 'Size (MB)'],
    ['kb', 'Size (KB)'],
    ['gb', 'Size (GB)'],
    ['bytes', 'Size (BYTES)'],
  ] as const)
    assert.equal(
      shown(unit, key).map((size) => Number(size) > 0),
      sizes.map((size) => size > 0),
      key,
    );
  assert.equal(shown('mb', 'Size (MB)').slice(-5), [0.01, 1, 3.8, 5.12, 1263.62]);
  assert.equal(shown('gb', 'Size (GB)').slice(-4), [0.00098, 0.0037, 0.005, 1.23]);
  assert.equal(shown('kb', 'Size (KB)').slice(0, 5), [0, 0.00098, 0.0039, 0.0049, 0.5]);
});

test('a databases folder that is a link out of the account shows nothing', async () => {
  const { account, token } = await server.user('dora');
  mkdirSync(account.filesRoot, { recursive: true });
  const { account: victim } = await server.user('eve');
  putFile(victim.filesRoot, 'secret.sqlite', 10);
  symlinkSync(join(victim.filesRoot, 'databases'), join(account.filesRoot, 'databases'));
  assert.equal((await server.ask('/api/mysql-size', { token })).body, []);
});

test('the dashboard shows the number of databases, with the feature mysql only', async () => {
  const { account, token } = await server.user('fred');
  putFile(account.filesRoot, 'a.sqlite', 1);
  // This starts the process that looks: on a busy machine a part has no time for that.
  assert.is((await server.ask('/api/docker_databases', { token })).status, 200);
  const part = async () =>
    (
      await server.hostkeep.plugins.gather(
        'dashboard',
        (await server.hostkeep.core.accounts.byUsername('fred')) ?? account,
      )
    ).find((each) => each.plugin === 'databases');
  const shown = await part();
  assert.ok(shown?.ok === true && shown.value.db_usage === 1);
  await server.hostkeep.core.accounts.setFeature('fred', 'mysql', false);
  const hidden = await part();
  assert.ok(hidden?.ok === true && hidden.value.db_usage === undefined);
});

test('the demo creates databases for its accounts', async () => {
  const [demo, other] = [await server.user('demo'), await server.user('other')];
  await server.hostkeep.plugins.gather('demo', {
    demo: demo.account,
    other: other.account,
    neighbours: [],
    now: Date.now(),
  });
  assert.is((await server.ask('/api/docker_databases', { token: demo.token })).body['db_usage'], '3');
  assert.is((await server.ask('/api/docker_databases', { token: other.token })).body['db_usage'], '2');
  const { body } = await server.ask<{ Database: string; 'Size (BYTES)': number }[]>('/api/mysql-size', {
    token: demo.token,
  });
  assert.equal(
    body.map((entry) => entry.Database),
    ['blog.sqlite', 'shop.sqlite', 'stats.sqlite'],
  );
  assert.ok(body.every((entry) => entry['Size (BYTES)'] > 100_000));
});

test('contradictory settings make only this plugin unavailable', async () => {
  for (const databases of [
    { default_server: 'nowhere' },
    { accounts: { ann: 'nowhere' } },
    { servers: { main: { ownership: 'login' } }, default_server: 'main' },
    { servers: { main: { ownership: 'login' } }, accounts: { ann: 'main', ben: 'main' } },
  ]) {
    const broken = await TestServer.start({ config: { databases } });
    const { token } = await broken.user('ann');
    const { status, headers } = await broken.ask('/api/mysql-size', { token });
    assert.is(status, 503, JSON.stringify(databases));
    assert.ok(Number(headers.get('retry-after')) > 0);
    assert.is((await broken.ask('/api/system/hosting/info', { token })).status, 200);
    await broken.close();
  }
});

test('option files are parsed as the servers parse them', () => {
  assert.equal(
    parseOptions(
      'user=nobody\n[mysqld]\nport=1\n[client]\nuser = ann # who\npassword="a#b\\\\c\\"d" # secret\n#host=x\n;socket=y\n[client-server]\nport=3307\r\n',
    ),
    {
      user: 'ann',
      password: 'a#b\\c"d'.replace('"', '\\"'),
      port: '3307',
    },
  );
  assert.equal(parseOptions("[client]\npassword='it is'\nsocket=/run/a\\sb\n!include /etc/passwd\nssl-ca=x\n"), {
    password: 'it is',
    socket: '/run/a b',
  });
});

// threat reused-names: an unescaped underscore in a grant matches no other account's databases
test('databases are matched with user names and grants as a whole', () => {
  const named = (...names: string[]) => names.map((name) => ({ name, sizeBytes: 0 }));
  const catalogue = new ServerCatalogue(
    named('ann_b_shop', 'ann_shop', 'annab_z', 'ann2_x', 'annx', 'ann', 'Ann_x', 'mysql', 'a.b_c'),
    [
      { user: 'ann', name: 'ann\\_%', isPattern: true },
      { user: 'ann', name: 'ann_%', isPattern: true },
      { user: 'ann', name: 'an_', isPattern: true },
      { user: 'ann', name: 'a.b_c', isPattern: false },
      { user: 'ben', name: '%', isPattern: true },
    ],
  );
  assert.equal(catalogue.prefixed('ann'), named('ann_b_shop', 'ann_shop'));
  assert.equal(catalogue.prefixed('ann_b'), named('ann_b_shop'));
  assert.equal(catalogue.prefixed('an'), []);
  assert.equal(catalogue.granted('ann'), named('a.b_c', 'ann_b_shop', 'ann_shop'));
  assert.equal(catalogue.granted('ben').length, 8);
  assert.equal(catalogue.granted('nobody'), []);
  assert.equal(catalogue.system, named('mysql'));
  assert.equal(withoutLongerNames(['ann_b', 'ann_sh'], catalogue.prefixed('ann')), named('ann_shop'));
  assert.equal(
    catalogue.prefixed('ann').map((each) => isAmbiguous('ann', each)),
    [true, false],
  );
});

test('patterns of grants are matched as a whole, in a bounded time', () => {
  const matching = (pattern: string, ...names: string[]) =>
    names.filter((name) => new GrantPattern(pattern).matches(name));
  assert.equal(matching('a.b%', 'a.b', 'a.b*[', 'axb', 'xa.b'), ['a.b', 'a.b*[']);
  assert.equal(matching('100\\%', '100%', '1000', '100\\'), ['100%']);
  assert.equal(matching('a%b_', 'ab_', 'a\nb😀b_', 'abx', 'ab', 'b_'), ['ab_', 'a\nb😀b_']);
  assert.equal(matching('%', '', 'x'), ['', 'x']);
  assert.equal(matching('', '', 'x'), ['']);
  assert.equal(
    [new GrantPattern('ann\\_%').prefix, new GrantPattern('%x').prefix, new GrantPattern('ab').prefix],
    ['ann_', '', 'ab'],
  );
  const started = process.cpuUsage();
  assert.equal(matching(`${'%a'.repeat(31)}%b`, 'a'.repeat(64)), []);
  assert.ok(process.cpuUsage(started).user < 1_000_000, 'a second at most, where trying all ways would take years');
});
