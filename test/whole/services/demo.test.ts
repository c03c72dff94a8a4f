/** `hostkeep demo` as a new user starts it, with a Docker Engine, a MariaDB and an nginx, and without them. */
import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { chromiumPath } from '../../support/chromium.ts';
import { ABSENT, openDemo, section, type Demo } from '../../support/demo.ts';
import { dockerMissing, TestDocker } from '../../support/docker.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { hasMariaDb, MariaDb } from '../../support/mariadb.ts';
import { hasNginx } from '../../support/nginx.ts';
import { fetchPage } from '../../support/page.ts';
import { storesInFiles } from '../../support/postgres.ts';
import { reportSkipped, testSuite } from '../../support/suite.ts';
import { eventually, until } from '../../support/until.ts';

const test = testSuite('demo');
storesInFiles(); // as those of demos are
const DOMAIN = 'blog.sunny-garden.example';
const missing = dockerMissing();
let toEnd: (() => unknown)[] = [];
test.after.each(async () => {
  for (const end of toEnd.toReversed()) await end();
  toEnd = [];
});

/** Starts a demo with these sockets, for as long as its test runs. */
async function startDemo(data: string, sockets: typeof ABSENT): Promise<Demo> {
  const demo = await openDemo(data, sockets);
  toEnd.push(() => demo.end('SIGTERM'));
  return demo;
}

/** A demo without backends, for the tests that change nothing in it. */
let plainDemo: Promise<Demo> | undefined;
const plainData = temporaryFolder();
const withoutBackends = () => (plainDemo ??= openDemo(plainData, ABSENT));
test.after(async () => (await plainDemo)?.end('SIGTERM'));

const portOf = (output: string) => Number(/http:\/\/127\.0\.0\.1:(\d+)\/ -H 'Host: /.exec(output)?.[1] ?? 0);
const containersOf = async (demo: Demo) =>
  (await demo.ask<{ container_stats?: { stats: { Container: string } } }>('/api/docker_stats')).container_stats?.stats
    .Container;
const databasesOf = async (demo: Demo) =>
  (await demo.ask<{ Database: string }[]>('/api/mysql-size')).map(({ Database }) => Database);

test('without backends, one line each says what is left out and how to get it', async () => {
  const demo = await withoutBackends();
  const leftOut = section(demo.output, 'Left out');
  assert.match(leftOut.get('containers') ?? '', /ENOENT .*\(apt-get install docker\.io /);
  assert.match(
    leftOut.get('databases') ?? '',
    /no MySQL or MariaDB server listens .*\(using SQLite files instead; apt-get install mariadb-server/,
  );
  assert.equal(await databasesOf(demo), ['blog.sqlite', 'shop.sqlite', 'stats.sqlite']);
});

// threat other-accounts: also in a demo that root runs, no job keeps the rights of root
test('the files of each account belong to a user id of its own', async () => {
  await withoutBackends();
  const files = join(plainData, 'files');
  const owners = readdirSync(files).map((name) => {
    const uids = readdirSync(join(files, name), { recursive: true }).map(
      (path) => lstatSync(join(files, name, String(path))).uid,
    );
    assert.equal([...new Set(uids)], [statSync(join(files, name)).uid], name);
    return uids[0];
  });
  assert.ok(owners.length > 2 && !owners.includes(0));
  assert.is(new Set(owners).size, owners.length);
});

async function assertLogInOrder(demo: Demo): Promise<void> {
  const { events } = await demo.ask<{ events: { at: string; text: string }[] }>('/api/events?limit=500', 'admin');
  const times = events.map(({ at }) => at);
  assert.equal(times, times.toSorted().toReversed());
  assert.ok(Date.parse(times.at(-1) ?? '') < Date.now() - 6 * 86_400_000);
  for (const { at, text } of events) assert.is(text.slice(1, 20), at.slice(0, 19).replace('T', ' '), text);
}

test('webhooks are delivered to a receiver of the demo, which is busy now and then', async () => {
  const demo = await withoutBackends();
  type Webhooks = { webhooks: Record<'delivered' | 'failed', number>[] };
  const counts = async (member: 'delivered' | 'failed') =>
    (await demo.ask<Webhooks>('/api/webhooks', 'admin')).webhooks.map((each) => each[member]);
  await until('both got events', async () => {
    const delivered = await counts('delivered');
    return delivered.length === 2 && delivered.every((count) => count > 0);
  });
  await until('one was busy', async () => (await counts('failed')).join() !== '0,0');
});

test('every member is filled, the log is ordered, and limits are kept', async () => {
  const demo = await withoutBackends();
  await assertLogInOrder(demo);
  const isEmpty = (value: unknown) => value === null || value === '' || value === 0 || String(value) === '';
  const emptyIn = (dashboard: Readonly<Record<string, unknown>>) =>
    Object.keys(dashboard).filter(
      (name) => isEmpty(dashboard[name]) && !name.endsWith('_limit') && name !== 'ftp_count',
    );
  // nothing here provides mail accounts, FTP accounts only where ProFTPD is, a second factor would stand in the way of a first login, and no part is old
  const dashboard = await eventually(
    'all else is filled, once a busy machine has it',
    () => demo.ask<Record<string, unknown>>('/api/dashboard'),
    (each) => String(emptyIn(each)) === 'email_count,twofa_enabled,stale',
  );
  assert.is(dashboard['how_to_guides'], 'yes');
  for (const shown of [demo.output, String(dashboard['custom_message'])]) assert.match(shown, /sample data/);
  const plan = await demo.ask<Record<string, unknown>>('/system/hosting/plan');
  for (const name of ['ns1', 'ns2', 'ns3', 'ns4']) assert.is(plan[name], `${name}.hosting.example`);
  const logins = await demo.ask<{ ip: string; country_code: string }[]>('/api/account/login-history');
  const abroad = logins.filter(({ ip }) => ip !== '127.0.0.1');
  assert.equal(new Set(abroad.map(({ country_code: code }) => code)), new Set(['DE', 'DK', 'FR']));
  for (const path of ['/api/favorites', '/api/mysql-size', '/api/search/files?q=index', '/api/search/websites'])
    assert.ok((await demo.ask<unknown[]>(path)).length > 1, path);
  const { sites } = await demo.ask<{ sites: { type: string }[] }>('/api/auto-installer');
  assert.ok(['wordpress', 'laravel'].every((type) => sites.some((site) => site.type === type)));
  const { usage_stats: days } = await demo.ask<{ usage_stats: string }>('/api/usage/stats', 'admin');
  assert.is(days.split('\n').length, 8);
  for (const who of ['user', 'other'] as const) {
    await until(`${who} has something of everything, within the limits`, async () => {
      const shown = await demo.ask<Record<string, number> & Record<string, unknown[]>>('/api/dashboard', who);
      const counts = [shown['db_usage'], shown['maindomains']?.length, shown['user_websites']?.length];
      const limits = ['db', 'domains', 'websites'].map((name) => shown[`${name}_limit`] ?? 0);
      return limits.every((limit, i) => (counts[i] ?? 0) > 0 && (limit === 0 || (counts[i] ?? 0) <= limit));
    });
  }
});

if (hasNginx()) {
  test("the demo's nginx serves its domains and ends with the demo", async () => {
    const data = temporaryFolder();
    const first = await startDemo(data, ABSENT);
    assert.match(section(first.output, 'Uses').get('webserver') ?? '', /nginx\/\d/);
    const port = portOf(first.output);
    const page = await fetchPage(port, DOMAIN);
    assert.is(page.status, 200);
    assert.match(page.body, /Notes from the garden/);
    if (chromiumPath() !== undefined)
      for (const site of [DOMAIN, 'sunny-garden.example/blog', 'sunny-garden.example/shop'])
        assert.equal(await first.look(`/api/screenshot/${site}`), [200, 'image/png'], site);
    assert.is((await fetchPage(port, 'nobody.example')).status, 0);
    const pid = readFileSync(join(data, 'nginx/nginx.pid'), 'utf8').trim();
    await first.end('SIGKILL');
    assert.is((await fetchPage(port, DOMAIN)).status, 200, 'a killed demo cannot end it');
    const second = await startDemo(data, ABSENT);
    assert.not(readFileSync(join(data, 'nginx/nginx.pid'), 'utf8').trim() === pid);
    assert.is((await fetchPage(portOf(second.output), DOMAIN)).status, 200);
    await second.end('SIGTERM');
    assert.is((await fetchPage(port, DOMAIN)).status, 0);
    assert.is((await fetchPage(portOf(second.output), DOMAIN)).status, 0);
    assert.not(existsSync(`/proc/${pid}`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(data));
  });
}

if (missing !== undefined) reportSkipped(missing);
else if (hasMariaDb()) {
  test('a Docker Engine and a MariaDB are used at each start, and restored at the end', async () => {
    const docker = await TestDocker.start();
    toEnd.push(() => docker.stop());
    const mariaDb = await MariaDb.start();
    await docker.run('sleep 1000', '--name', 'theirs', '--network', 'none');
    await mariaDb.sql('create database theirs');
    const state = async () => [
      await docker.cli('ps', '-aq', '--no-trunc'),
      await docker.cli('images', '-q'),
      await mariaDb.sql('show databases'),
    ];
    const before = await state();
    const data = temporaryFolder();
    for (const signal of ['SIGTERM', 'SIGKILL', 'SIGHUP'] as const) {
      const demo = await startDemo(data, { docker: docker.socket, mariaDb: mariaDb.socket });
      const uses = section(demo.output, 'Uses');
      assert.match(uses.get('containers') ?? '', /Docker \d+\./, demo.output);
      assert.match(uses.get('databases') ?? '', /MariaDB/, demo.output);
      assert.is(await containersOf(demo), '2');
      // what was listed before all of them were made is shown for seconds
      const listed = await eventually(
        'its databases',
        () => databasesOf(demo),
        ({ length }) => length > 2,
      );
      assert.equal(listed, ['demo_blog', 'demo_shop', 'demo_stats']);
      await demo.end(signal);
      if (signal !== 'SIGKILL') assert.equal(await state(), before, signal);
    }
  });
}
