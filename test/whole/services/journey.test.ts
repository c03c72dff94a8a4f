/** A customer of a node from the first day to the last, with all the programs that a node has. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';
import { installedVersions } from '../../../kernel/kit/programs/php-versions.ts';
import type { Reader } from '../../../kernel/store/store.ts';
import { logIn } from '../../support/account-client.ts';
import * as assert from '../../support/assert.ts';
import { browserSuite } from '../../support/chromium.ts';
import { atEnd } from '../../support/ending.ts';
import { PASSWORD, TestServer, type Person } from '../../support/hostkeep.ts';
import { assertNone, counted, pick } from '../../support/lists.ts';
import { hasMariaDb, MariaDb } from '../../support/mariadb.ts';
import { needs } from '../../support/needs.ts';
import { hasNginx, Nginx } from '../../support/nginx.ts';
import { PageDriver } from '../../support/page-driver.ts';
import { hasPebble, Pebble } from '../../support/pebble.ts';
import { inFile } from '../../support/postgres.ts';
import type { Asker } from '../../support/scenario.ts';
import { reportSkipped } from '../../support/suite.ts';
import { eventually, until } from '../../support/until.ts';

await needs(
  ...(['accounts', 'login', 'domains', 'webserver', 'certificates', 'php', 'files', 'databases', 'mysql'] as const),
  ...(['redirects', 'logs', 'pages'] as const),
);
const [NEWEST = '', OTHER] = await installedVersions();
const test = browserSuite('journey', 'to look at a site', { named: true });
const SITE = 'shop.example';
/** User ids that no other test gives. */
const IDS = { first: 470_000, count: 1000 } as const;
/** Tables of what happened, which keep no more of an account than that. */
const HISTORY = /^(?:events|revision_changes)$/;

/** Folders that are the node's, and the mark of the newest user id. */
const OF_NODE = /\/(?:files|files\/\.removed|php|logs|visitors(?:\/countries\.mmdb)?|ids\/\d+)$/;

interface House {
  readonly nginx: Nginx;
  /** What visitors trust. */
  readonly root: string;
  readonly mariaDb: MariaDb;
  readonly server: TestServer;
  readonly admin: Person;
}
interface Customer extends Asker {
  readonly token: string;
}
interface Database {
  readonly name: string;
  readonly user: string;
  readonly password: string;
}
interface Seen {
  readonly path: string;
  readonly status: number;
}

function hasPrograms(): boolean {
  const files = ['/usr/bin/goaccess', `/etc/php/${NEWEST}/mods-available/mysqli.ini`];
  const isThere = process.getuid?.() === 0 && files.every((path) => existsSync(path));
  if (!isThere)
    reportSkipped('the journey of a customer; run it as root, after apt-get install php-fpm php-mysql goaccess');
  return isThere && hasNginx() && hasPebble() && hasMariaDb();
}

async function openHouse(): Promise<House> {
  const [nginx, mariaDb] = await Promise.all([Nginx.start('www-data'), MariaDb.start()]);
  atEnd(() => nginx.remove());
  const pebble = await Pebble.start(nginx.port);
  atEnd(() => pebble.remove());
  const config = {
    ...inFile,
    files_root: join(nginx.folder, 'files/{username}'),
    ids: IDS,
    webserver: nginx.settings,
    certificates: pebble.settings,
    databases: mariaDb.settings,
    php: { run_folder: join(nginx.folder, 'php'), drain_seconds: 1 },
  };
  const server = await TestServer.start({ config });
  return { nginx, root: await pebble.root(), mariaDb, server, admin: await server.admin() };
}

/** An application of which each visit is a row. */
const application = ({ name, user, password }: Database, socket: string) => ({
  'config.php': `<?php const LOGIN = ['${user}', '${password}', '${name}', null, '${socket}'];`,
  'index.php': `<?php
    require 'config.php';
    $db = new mysqli(null, ...LOGIN);
    $db->query('create table if not exists visits (id int auto_increment primary key, address text)');
    $db->execute_query('insert into visits (address) values (?)', [$_SERVER['REQUEST_URI']]);
    $all = $db->query('select count(*) from visits')->fetch_row()[0];
    ?><!doctype html><title>Shop</title><link rel=icon href=data:,>
    <h1>Visit <?= $all ?></h1><p><?= basename(PHP_BINARY), ', ', ini_get('memory_limit') ?></p>`,
});

/** Resolves with a line for all that an account could leave: files, rows, sockets, processes, databases and their users. */
async function everything({ nginx, mariaDb, server }: House): Promise<string[]> {
  const { store, local } = server.hostkeep.core;
  const files = [nginx.folder, server.data].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  );
  const sockets = readFileSync('/proc/net/unix', 'utf8').split('\n');
  return [
    ...files.filter((path) => !OF_NODE.test(path)),
    ...(await rowsOfAccounts(store)),
    ...(await rowsOfAccounts(local)),
    ...sockets.filter((line) => line.includes(nginx.folder)),
    ...processesOfAccounts(),
    ...(await mariaDb.sql('show databases; select user, host from mysql.global_priv')).split('\n'),
  ];
}

/** Resolves with how many rows each table has that are of accounts or their domains. */
async function rowsOfAccounts(store: Reader): Promise<string[]> {
  const tables = await store.all<{ name: string }>(`select distinct t.name from sqlite_schema t
    join pragma_table_info(t.name) c where t.type = 'table' and c.name in ('account_id', 'domain_id')`);
  const rows: string[] = [];
  for (const name of pick(tables, 'name'))
    if (!HISTORY.test(name)) rows.push(`${name}: ${(await store.all(`select 1 from ${name}`)).length} rows`);
  return rows;
}

/** Returns what runs with user ids of accounts; without processes of the service that wait for a while to read files. */
function processesOfAccounts(): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const uid = Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return uid >= IDS.first && uid < IDS.first + IDS.count && !command.includes('job-process') ? [command] : [];
    } catch {
      return []; // no process, or one that has ended
    }
  });
}

/** Resolves with what a visitor gets who trusts nobody but the authority. */
function visit({ nginx, root }: House, path: string): Promise<Seen & { readonly body: string }> {
  const headers = { host: `${SITE}:${nginx.tlsPort}` };
  const options = { host: '127.0.0.1', port: nginx.tlsPort, servername: SITE, path, headers, agent: false, ca: root };
  return new Promise((resolve, reject) => {
    const sent = get(options, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.once('error', reject).once('end', () => resolve({ path, status: response.statusCode ?? 0, body }));
    });
    sent.once('error', reject);
  });
}

async function logsIn({ server }: House): Promise<Customer> {
  const { status, body } = await logIn(server, 'ann');
  assert.is(status, 200, JSON.stringify(body));
  const token = String(body['token']);
  return { token, ...server.with(token, 'user', 'ann') };
}

async function addsDomain(ann: Customer, { nginx }: House): Promise<void> {
  await ann.asks('POST /api/domains/new', { domain_url: SITE }, 201);
  await until('the certificate is there', async () => {
    const { certificates } = await ann.asks<{ certificates: { state: string }[] }>('GET /api/certificates', 200);
    return certificates[0]?.state === 'valid';
  });
  await until('it runs PHP', async () => {
    const { sites } = await ann.asks<{ sites: { version: string }[] }>('GET /api/php', 200);
    return sites[0]?.version === NEWEST;
  });
  await ann.asks(`PATCH /api/certificates/${SITE}`, { force_https: true }, 200);
  assert.is((await nginx.fetch(SITE)).location, `https://${SITE}:${nginx.tlsPort}/`);
}

/** Makes a database and its user, and puts the application in place. */
async function putsShop(ann: Customer, { server }: House): Promise<Database> {
  const { name } = await ann.asks<{ name: string }>('POST /api/databases', { name: 'shop' }, 201);
  const user = await ann.asks<{ name: string; password: string }>('POST /api/database-users', { name: 'web' }, 201);
  const privileges = ['CREATE', 'INSERT', 'SELECT'];
  await ann.asks(`PUT /api/database-users/${user.name}/databases/${name}`, { privileges }, 200);
  const reached = await ann.asks<{ server: { socket: string } }>('GET /api/databases', 200);
  const database = { name, user: user.name, password: user.password };
  for (const [file, body] of Object.entries(application(database, reached.server.socket))) {
    const headers = { 'content-type': 'application/octet-stream' };
    const path = `/api/files/content?path=${SITE}/${file}`;
    assert.is((await server.ask(path, { method: 'PUT', token: ann.token, headers, body })).status, 200, file);
  }
  return database;
}

/** Changes how PHP runs while visitors come; resolves with what they saw. */
async function changesPhp(ann: Customer, house: House): Promise<readonly Seen[]> {
  const seen: (Seen & { readonly body: string })[] = [];
  const end = new AbortController();
  const visitor = async (name: string) => {
    for (let n = 0; !end.signal.aborted; n += 1) seen.push(await visit(house, `/of-${name}/${n}`));
  };
  const visitors = Promise.all(['bea', 'cleo', 'dora'].map(visitor));
  const set = async (what: 'version' | 'options', value: object, shown: string) => {
    await ann.asks(`PUT /api/php/sites/${SITE}/${what}`, value, 200);
    await until(`visitors see ${shown}`, () => seen.at(-1)?.body.includes(shown) === true);
  };
  for (const memory_mib of [150, 170]) await set('options', { memory_mib }, `, ${memory_mib}M`);
  for (const version of OTHER === undefined ? [] : [OTHER, NEWEST])
    await set('version', { version }, `php-fpm${version},`);
  end.abort();
  await visitors;
  return seen;
}

/** Looks at the log and at the visitors, which tell of each request once. */
async function looksBack(ann: Customer, { server }: House, browser: Browser, visits: readonly Seen[]): Promise<void> {
  const requests = () => requestsIn(ann);
  const lines = await eventually('the log has the last request', requests, (all) => all.at(-1)?.path === '/new');
  const logged = counted(lines.map(({ path, status }) => `${path} ${status}`));
  const expected = [...visits, { path: '/', status: 308 }, { path: '/old', status: 302 }];
  assertNone(expected, ({ path, status }) => logged[`${path} ${status}`] !== 1, 'is not in the log once');
  const visitors = await ann.asks<{ hits: number; statuses: { name: string; hits: number }[] }>(
    `GET /api/visitors?domain_url=${SITE}`,
    200,
  );
  assert.equal(
    Object.fromEntries(visitors.statuses.map(({ name, hits }) => [name, hits])),
    counted(pick(lines, 'status')),
  );
  const home = await PageDriver.entered(browser, server, 'user', 'ann');
  await home.goto('/home/logs');
  await home.says('/old');
  await home.goto('/home/visitors');
  await home.says(visitors.hits.toLocaleString('en'));
  await home.finish();
}

/** Resolves with all requests in the log of the site, the oldest first. */
async function requestsIn(ann: Customer): Promise<Seen[]> {
  const found: Seen[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { lines: Seen[]; next_cursor: string | null } = await ann.asks(
      `GET /api/logs/lines?domain_url=${SITE}&limit=1000&cursor=${cursor}`,
      200,
    );
    found.push(...page.lines);
    cursor = page.next_cursor;
  }
  return found.toReversed();
}

if (hasPrograms())
  test('a customer comes, has a shop, is closed for a while, and leaves nothing', async (browser) => {
    const house = await openHouse();
    const { admin, mariaDb, nginx } = house;
    const before = await everything(house);
    await admin.asks('POST /api/accounts', { username: 'ann', password: PASSWORD, plan: 'standard' }, 201);
    const ann = await logsIn(house);
    await addsDomain(ann, house);
    const { user, password } = await putsShop(ann, house);

    const shop = await browser.newPage();
    const opens = async (path: string) => (await shop.goto(`https://${SITE}:${nginx.tlsPort}${path}`))?.status();
    const says = async () => String(await shop.evaluate('document.body.innerText'));
    assert.is(await opens('/'), 200);
    assert.match(await says(), new RegExp(`^Visit 1\\s+php-fpm${NEWEST}, 128M`));

    const seen = await changesPhp(ann, house);
    assertNone(seen, ({ status }) => status !== 200, 'a visitor got something else');
    const addresses = await mariaDb.sql('select address from ann_shop.visits');
    assert.equal(addresses.trim().split('\n').toSorted(), [...pick(seen, 'path'), '/'].toSorted());

    await ann.asks('POST /api/redirects', { domain_url: SITE, path: '/old', target: '/new' }, 201);
    assert.is(await opens('/old'), 200);
    assert.is(new URL(shop.url()).pathname, '/new');
    await looksBack(ann, house, browser, [...seen, { path: '/', status: 200 }]);

    await admin.asks('POST /api/accounts/ann/suspend', 200);
    await until('the site is closed', async () => (await opens('/')) === 503);
    await until('nothing runs', () => processesOfAccounts().length === 0);
    const enters = () => mariaDb.query(user, password, 'select 1').then(Boolean, () => false);
    await until('its database user is locked out', async () => !(await enters()));
    assert.is(await ann.tries('GET /api/domains'), '401 authentication_required');
    const visits = Number(await mariaDb.sql('select count(*) from ann_shop.visits'));
    await admin.asks('POST /api/accounts/ann/unsuspend', 200);
    await until('its database user may enter', enters);
    await until('the site is open', async () => (await opens('/')) === 200);
    assert.match(await says(), new RegExp(`^Visit ${visits + 1}\\b`));

    const { purge } = await admin.asks<{ purge: object }>('DELETE /api/accounts/ann?purge=true', 200);
    assert.match(JSON.stringify(purge), /^{"state":"complete"/);
    const left = async () => (await everything(house)).filter((line) => !before.includes(line));
    await eventually('nothing is left', left, (lines) => lines.length === 0);
    const hasPassword = (path: string) =>
      path.startsWith('/') && statSync(path).isFile() && readFileSync(path).includes(password);
    assertNone(await everything(house), hasPassword, 'has the password of the database');
    assert.is(await mariaDb.sql(`select count(*) from mysql.db where db like 'ann%'`), '0\n');
    await admin.asks('POST /api/accounts', { username: 'ann', password: PASSWORD, plan: 'standard' }, 201);
    await (await logsIn(house)).asks('GET /api/certificates', 200, { certificates: [] });
  });
