import { existsSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';
import { Browser, FIRST, hasPhpMyAdmin, openHouse, type Customer, type House } from '../house.ts';

await needs('domains', 'webserver', 'databases', 'mysql', 'certificates');
const test = testSuite('phpmyadmin-services');
const PATH = '/api/phpmyadmin';

/** Every text below a folder. */
function textsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
}

/** What the system says of each process: its user, its arguments and its environment. */
function processes(): { uid: number; command: string; environment: string }[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'latin1');
      const uid = Number(/^Uid:\s+(\d+)/m.exec(read('status'))?.[1]);
      return [{ uid, command: read('cmdline'), environment: read('environ') }];
    } catch {
      return []; // it has ended
    }
  });
}

if (hasPhpMyAdmin()) {
  let house: House;
  let [ann, ben] = [] as unknown as [Customer, Customer];
  test.before(async () => {
    house = await openHouse();
    [ann, ben] = [await house.customer('ann'), await house.customer('ben')];
    for (const { ask, username } of [ann, ben]) {
      assert.is((await ask('/api/databases', 'POST', { name: 'shop' })).status, 201);
      await house.mariaDb.sql(`create table ${username}_shop.orders_of_${username} (id int);
        insert into ${username}_shop.orders_of_${username} values (4711)`);
    }
  });
  test.after(() => house.close());
  test.before.each(async () => {
    for (const { ask } of [ann, ben]) await ask(PATH, 'DELETE');
  });

  const usersNamed = async (name: string) =>
    (await house.mariaDb.sql(`select host from mysql.global_priv where user = '${name}'`)).split('\n').filter(Boolean);
  const isOpen = async ({ ask }: Customer) => (await ask<{ session: object | null }>(PATH)).body.session !== null;
  const assertOver = async (customer: Customer, link: URL, browser: Browser) => {
    await until(
      'the database user is dropped',
      async () => (await usersNamed(`${customer.username}_-session`)).length === 0,
    );
    await until('the session is over', async () => !(await isOpen(customer)));
    await until('nothing is left', () => !existsSync(join(house.run, String(customer.id))));
    const { status } = await browser.get(new URL('./index.php', link));
    assert.ok(status >= 400, `the address answers with ${status}`);
    const folder = join(customer.filesRoot, '.hostkeep/phpmyadmin');
    await until('its folder is empty', () => readdirSync(folder).length === 0);
  };
  const enter = async (customer: Customer) => {
    const [link, browser] = [await customer.open(), new Browser()];
    const page = await browser.follow(link);
    assert.is(page.status, 200, page.body);
    assert.match(page.body, new RegExp(`${customer.username}_shop`));
    return { link, browser, page };
  };

  test('who may not, and what is no domain, is refused', async () => {
    const { server } = house;
    assert.is((await server.ask(PATH)).status, 401);
    const poor = await server.user('poor', 'basic');
    assert.is((await server.ask(PATH, { token: poor.token })).status, 403);
    for (const domain_url of ['ben.example', 'nothing.example', 'x"; }'])
      assert.is((await ann.ask(PATH, 'POST', { domain_url })).body['error'], 'domain_not_found');
    for (const body of [{}, { domain_url: '' }, { domain_url: 7 }])
      assert.is((await ann.ask(PATH, 'POST', body)).status, 400);
    assert.is((await ann.ask(PATH, 'DELETE')).body['error'], 'phpmyadmin_not_open');
    assert.equal((await ann.ask(PATH)).body, {
      ...{ is_installed: true, is_managed: true, session: null },
      domains: [{ domain_url: ann.domain, has_https: true, is_usable: true }],
    });
  });

  test('the link opens the databases of the account alone, without a password', async () => {
    const { link, browser, page } = await enter(ann);
    assert.match(link.href, /^https:\/\/ann\.example:\d+\/phpmyadmin-[a-z0-9]{20}\/\?hostkeep_open=[\w-]{32}$/);
    assert.is(page.url.search, '');
    assert.not.match(page.body, /ben_shop|information_schema/);
    // phpMyAdmin warns where PHP drops sessions earlier
    assert.match(page.body, /session_gc_maxlifetime:"3600"/);
    assert.not.match(page.body, /alert-warning/);
    const ask = (query: string) => browser.get(new URL(`index.php?${query}`, page.url));
    assert.match((await ask('route=/sql&db=ann_shop&table=orders_of_ann')).body, /4711/);
    for (const query of ['route=/database/structure&db=ben_shop', 'route=/sql&db=ben_shop&table=orders_of_ben']) {
      const { body } = await ask(query);
      assert.not.match(body.replaceAll(/[^<>]*(?:ben_shop|orders_of_ben)[^<>]*denied/g, ''), /4711/, query);
    }
    assert.is((await browser.get(new URL('js/messages.php?l=en', page.url))).status, 200);
    const style = await browser.get(new URL('themes/pmahomme/css/theme.css', page.url));
    assert.equal([style.status, style.headers['content-type']], [200, 'text/css']);
    assert.is((await browser.get(new URL('js/vendor/jquery/jquery.min.js', page.url))).status, 200);
    for (const path of [
      'config.sample.inc.php',
      'libraries/vendor_config.php',
      'templates/login/form.twig',
      'sql/create_tables.sql',
      'autoload.php',
      'show_config_errors.php',
      'js/src/main.js/../../../index.php/x',
    ])
      assert.is((await browser.get(new URL(path, page.url))).status, 404, path);
    // its users are those that it made itself
    assert.equal((await ann.ask('/api/database-users')).body, []);
    assert.equal(await usersNamed('ann_-session'), ['localhost']);
    assert.ok(processes().some(({ uid, command }) => uid === FIRST + ann.id && command.includes('php-fpm')));
    const log = join(ann.filesRoot, '.hostkeep/phpmyadmin/errors.log');
    assert.is(existsSync(log) ? readFileSync(log, 'utf8') : '', '');
  });

  test('the link is good once, and its session for that browser only', async () => {
    const { link, browser, page } = await enter(ann);
    const stranger = new Browser();
    for (const url of [link, page.url, new URL('index.php', page.url), new URL('js/messages.php', page.url)])
      assert.is((await stranger.get(url)).status, 403, url.href);
    assert.is((await browser.get(link)).status, 403, 'twice');
    const bens = await enter(ben);
    for (const [name, value] of bens.browser.cookies) stranger.cookies.set(name, value);
    assert.is((await stranger.get(page.url)).status, 403, 'the cookie of another account');
    const guesses = ['', 'x', `${link.searchParams.get('hostkeep_open')}x`];
    for (const guess of guesses) {
      const guessed = await new Browser().get(new URL(`?hostkeep_open=${guess}`, page.url));
      assert.is(guessed.status, 403);
    }
    assert.is((await browser.get(page.url)).status, 200, 'it is still open');
    // another one takes its place
    const again = await enter(ann);
    assert.is.not(again.page.url.pathname, page.url.pathname);
    assert.ok((await browser.get(page.url)).status >= 400);
  });

  test('the password is in no file, no argument and no address', async () => {
    const { link, page } = await enter(ann);
    const own = processes().filter(({ environment }) => environment.includes(page.url.pathname));
    const [, password = ''] = /HOSTKEEP_PASSWORD=([^\0]+)/.exec(own[0]?.environment ?? '') ?? [];
    assert.match(password, /^[\w-]{24}$/);
    assert.not.match(link.href, new RegExp(password));
    assert.equal(
      processes().filter(({ command }) => command.includes(password)),
      [],
    );
    const folders = [join(house.run, String(ann.id)), join(ann.filesRoot, '.hostkeep')];
    for (const text of folders.flatMap(textsIn)) assert.not.ok(text.includes(password), text);
    assert.is(statSync(join(ann.filesRoot, '.hostkeep')).mode & 0o77, 0);
    const [settings = ''] = readdirSync(join(house.run, String(ann.id))).filter((name) => name.endsWith('.conf'));
    assert.is(statSync(join(house.run, String(ann.id), settings)).mode & 0o77, 0);
    assert.is((await house.mariaDb.query('ann_-session', password, 'show databases')).includes('ben_shop'), false);
    for (const sql of [
      'select * from ben_shop.orders_of_ben',
      'create database ann_more',
      'create user x',
      'select * from mysql.user',
      "select load_file('/etc/passwd')",
    ])
      await house.mariaDb.query('ann_-session', password, sql).then(
        (output) => assert.is(output, 'NULL\n', sql),
        (error: Error) => assert.match(error.message, /denied/, sql),
      );
  });

  test('it ends with a request, a logout, a while without use and a killed process', async () => {
    const asked = await enter(ann);
    assert.equal((await ann.ask(PATH, 'DELETE')).body, { closed: true });
    await assertOver(ann, asked.link, asked.browser);

    const left = await enter(ann);
    const [, token = ''] = /name="token" value="([^"]+)"/.exec(left.page.body) ?? [];
    const out = await left.browser.get(new URL('index.php?route=/logout', left.link), { token });
    const { location = '' } = out.headers;
    assert.match(location, /hostkeep_logout=1$/);
    assert.match((await left.browser.get(new URL(location, left.link))).body, /logged out/);
    assert.is((await left.browser.get(left.page.url)).status, 410);
    await assertOver(ann, left.link, left.browser);

    const idle = await enter(ann);
    const hours = Date.now() / 1000 - 7200;
    utimesSync(join(ann.filesRoot, '.hostkeep/phpmyadmin/opened'), hours, hours);
    assert.is((await idle.browser.get(idle.page.url)).status, 410);
    await assertOver(ann, idle.link, idle.browser);

    const killed = await enter(ann);
    const [master = ''] = readdirSync(join(house.run, String(ann.id))).filter((name) => name.endsWith('.master'));
    process.kill(-Number.parseInt(readFileSync(join(house.run, String(ann.id), master), 'utf8'), 10), 'SIGKILL');
    await assertOver(ann, killed.link, killed.browser);
  });

  test('views that were made in it go on working, and their user cannot log in', async () => {
    const { link, browser } = await enter(ann);
    const { mariaDb } = house;
    await mariaDb.sql(
      "create definer = 'ann_-session'@localhost view ann_shop.numbers as select id from ann_shop.orders_of_ann",
    );
    assert.is((await ann.ask(PATH, 'DELETE')).status, 200);
    assert.ok((await browser.get(link)).status >= 400);
    assert.is(await mariaDb.sql('select * from ann_shop.numbers'), '4711\n');
    assert.is(
      await mariaDb.sql(
        "select json_value(priv, '$.account_locked') from mysql.global_priv where user = 'ann_-session'",
      ),
      '1\n',
    );
    assert.equal((await ann.ask('/api/database-users')).body, []);
    await enter(ann);
    await mariaDb.sql('drop view ann_shop.numbers');
  });

  test('unused links, removed domains, suspended and removed accounts leave nothing', async () => {
    await ann.open();
    const { store } = house.server.hostkeep.core;
    await store.write((tx) => tx.run('update phpmyadmin_sessions set created_at = created_at - 61000'));
    await until('it is over', async () => !(await isOpen(ann)) && (await usersNamed('ann_-session')).length === 0);

    const another = async (name: string) => {
      const customer = await house.customer(name);
      assert.is((await customer.ask('/api/databases', 'POST', { name: 'shop' })).status, 201);
      return { customer, ...(await enter(customer)) };
    };
    const gone = async (username: string) => {
      await until('the database user is dropped', async () => (await usersNamed(`${username}_-session`)).length === 0);
      await until('no row is left', async () => {
        const rows = await store.all(
          'select 1 from phpmyadmin_sessions s join accounts a on a.id = s.account_id where a.username = ?',
          username,
        );
        return rows.length === 0;
      });
    };
    const { customer: cleo } = await another('cleo');
    assert.is((await cleo.ask('/api/domains/delete', 'POST', { domain_url: cleo.domain })).status, 200);
    await gone('cleo');

    const { accounts } = house.server.hostkeep.core;
    const { link, browser } = await another('dora');
    await accounts.suspend('dora');
    await gone('dora');
    assert.ok((await browser.get(new URL('index.php', link))).status >= 400);

    const { customer: emma } = await another('emma');
    await accounts.remove('emma');
    await until('nothing runs', () => !existsSync(join(house.run, String(emma.id))));
  });

  test('while the database server is gone nothing opens, and what is open ends later', async () => {
    const { link, browser } = await enter(ann);
    await house.mariaDb.stop();
    const refused = await ben.ask(PATH, 'POST', { domain_url: ben.domain });
    assert.equal([refused.status, refused.body['error']], [503, 'databases_unavailable']);
    assert.is((await ann.ask(PATH, 'DELETE')).status, 503);
    assert.is(await isOpen(ann), false);
    await house.mariaDb.up();
    await assertOver(ann, link, browser);
    await until('nothing is left of the refused one', async () => !(await isOpen(ben)));
    await enter(ben);
  });
}
