/**
 * What must end well for customers in a real browser: sessions that end, features that go, a network that is gone, hostile names,
 * and long lists.
 *
 */
import { join } from 'node:path';
import type { HTTPRequest } from 'puppeteer-core';
import * as assert from '../support/assert.ts';
import { browserSuite } from '../support/chromium.ts';
import { fakeEngine, json } from '../support/fake-engine.ts';
import { temporaryFolder } from '../support/folder.ts';
import { PASSWORD, TestServer } from '../support/hostkeep.ts';
import { PageDriver } from '../support/page-driver.ts';
import { until } from '../support/until.ts';
import { assertNone } from '../support/lists.ts';

const test = browserSuite('pages: trouble at home', 'to make trouble in');
const HOSTILE = `<img src=x onerror="alert(1)"> \u202Eevil\u202C 💥 ${'x'.repeat(200)}`.slice(0, 255);
const SOCKET = join(temporaryFolder(), 'engine.sock');
const CONTAINERS = Array.from({ length: 200 }, (_, i) => String(i).padStart(64, 'c'));
/** Each that runs is measured; a fake engine, at work in this process, answers few questions in time. */
const RUNNING = 3;
let server: TestServer;
test.before(async () => {
  await fakeEngine(SOCKET, (path, response) => {
    const listed = /all=true/.test(response.req.url ?? '') ? CONTAINERS : CONTAINERS.slice(0, RUNNING);
    const [, id = ''] = /^\/containers\/(\w{64})\//.exec(path) ?? [];
    const replies: Readonly<Record<string, object>> = {
      '/version': { Version: '1.2.3', ApiVersion: '1.41' },
      '/containers/json': listed.map((Id, i) => ({
        Id,
        Names: [`/box-${i}`],
        Labels: { 'hostkeep.account': 'boxes' },
        State: i < RUNNING ? 'running' : 'exited',
        Image: 'x',
      })),
      '/system/df': { Containers: CONTAINERS.map((Id, i) => ({ Id, Names: [`/box-${i}`], SizeRw: 1000 * i })) },
      [`/containers/${id}/json`]: { State: { Pid: process.pid } },
      [`/containers/${id}/stats`]: { read: new Date().toISOString(), pids_stats: { current: 1 } },
    };
    json(response, replies[path] ?? {});
  });
  server = await TestServer.start({ config: { containers: { socket: SOCKET } } });
});

const tokenOf = async (username: string) => server.token(await server.hostkeep.core.accounts.get(username));

test('a login that has to wait long says until when, and not for how many seconds', async (browser) => {
  const strict = await TestServer.start({ config: { login: { account_failures: { minute: 1, hour: 1, day: 9 } } } });
  await strict.account('hasty');
  const driver = await PageDriver.open(browser, strict);
  await driver.goto('/');
  await driver.logIn('hasty', 'not the password');
  await driver.page.waitForSelector('.panel.bad');
  await driver.page.keyboard.press('Enter');
  await driver.says('Too many attempts');
  assert.match(await driver.text('.panel.bad'), /Try again in (1 hour|60 minutes): \w+ \d+, .*\d:\d\d/);
  await driver.finish([/status of 4(01|29)/]);
});

test('a session that ends during a form asks for a login and loses no input', async (browser) => {
  const driver = await PageDriver.customer(browser, server, 'halfway');
  await driver.goto('/home/domains');
  await driver.press('Add domain');
  await driver.page.waitForSelector('dialog[open] .input');
  await driver.page.type('dialog .input', 'kept.example');
  const form = await driver.page.$('dialog form');
  await server.hostkeep.core.sessions.endOthers(await server.hostkeep.core.accounts.get('halfway'), '', '127.0.0.1');
  // Not by a key: the page may see that the session has ended before, and then it goes to the login.
  await form?.evaluate((element) => (element as unknown as { requestSubmit(): void }).requestSubmit());
  await driver.says('Your session has ended');
  for (let i = 0; i < 3; i += 1) await driver.page.keyboard.press('Escape');
  await driver.page.type('dialog[open] input[autocomplete=current-password]', PASSWORD);
  await driver.page.keyboard.press('Enter');
  await driver.says('kept.example was added'); // without being asked for it again
  await driver.finish([/status of 401/]);
});

test('a feature that goes takes its page once what was typed there is no longer wanted', async (browser) => {
  const driver = await PageDriver.customer(browser, server, 'feature');
  await driver.goto('/home/domains');
  await driver.press('Add domain');
  await driver.page.waitForSelector('dialog[open] .input');
  await driver.page.type('dialog .input', 'late.example');
  await server.hostkeep.core.accounts.setFeature('feature', 'domains', false);
  await driver.page.keyboard.press('Enter');
  await driver.page.waitForSelector('dialog[open] ::-p-text(Domains is switched off)');
  assert.match(await driver.text('dialog[open]'), /Your provider/);
  const navigation = await driver.text('.nav');
  assert.ok(navigation.includes('Redirects') && !navigation.includes('Domains'), navigation);
  const input = await driver.page.$eval('dialog .input', (each) => (each as unknown as { value: string }).value);
  assert.is(input, 'late.example');
  await driver.press('Cancel');
  await driver.page.waitForSelector('main h1 ::-p-text(The page Domains is switched off)');
  await driver.finish([/status of 403/]);
});

test('without a network the page says so, keeps what it shows, and goes on by itself', async (browser) => {
  const driver = await PageDriver.customer(browser, server, 'network');
  await driver.goto('/home/domains');
  await driver.press('Add domain');
  await driver.page.waitForSelector('dialog[open] .input');
  await driver.page.type('dialog .input', 'again.example');
  await driver.page.setOfflineMode(true);
  await driver.page.keyboard.press('Enter');
  // In the dialog, which takes no second answer before: the page says so, too, and may be the first.
  await driver.page.waitForFunction(
    '/The server is not responding\\s+Try again in a moment/.test(document.querySelector("dialog[open]")?.innerText)',
  );
  await driver.page.setOfflineMode(false);
  await driver.page.focus('dialog .input');
  await driver.page.keyboard.press('Enter');
  await driver.says('again.example was added');
  await driver.page.waitForFunction('!document.body.innerText.includes("is not responding")');
  await driver.finish([/ERR_INTERNET_DISCONNECTED/]);
});

test('hostile names are shown as text', async (browser) => {
  const driver = await PageDriver.customer(browser, server, 'hostile');
  const token = await tokenOf('hostile');
  for (const [title, link] of [
    [HOSTILE, 'https://elsewhere.example/'],
    ['javascript', '/javascript:alert(1)'],
  ])
    assert.is((await server.ask('/api/favorites', { method: 'PUT', token, body: { title, link } })).status, 200);
  for (const path of ['/home', '/home/account', '/home/account/activity']) {
    await driver.goto(path);
    assert.is(await driver.page.$('main img'), null, path);
    assert.ok((await driver.text('main')).includes('<img src=x onerror="alert(1)">'), path);
    await driver.show(320, 'dark');
    assert.not(await driver.overflows(), `${path} at 320 px`);
  }
  const links = await driver.page.$$eval('a', (all) => all.map((link) => String(link.getAttribute('href'))));
  assertNone(links, (link) => /^javascript/i.test(link));
  await driver.finish();
});

test('a half-typed password survives the end of the session', async (browser) => {
  const driver = await PageDriver.customer(browser, server, 'halfway-page');
  await driver.goto('/home/account');
  const field = 'main input[autocomplete=new-password]';
  await driver.page.type(field, 'kept as it was typed');
  await server.hostkeep.core.sessions.endOthers(
    await server.hostkeep.core.accounts.get('halfway-page'),
    '',
    '127.0.0.1',
  );
  await driver.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))"); // as after a look at another tab
  await driver.says('Your session has ended');
  await driver.page.type('dialog[open] input[autocomplete=current-password]', PASSWORD);
  await driver.page.keyboard.press('Enter');
  await driver.page.waitForSelector('dialog', { hidden: true });
  const value = await driver.page.$eval(field, (input) => (input as unknown as { value: string }).value);
  assert.is(value, 'kept as it was typed');
  await driver.finish([/status of 401/]);
});

test('a feature that an operator switches off goes for who only looks at its page, too', async (browser) => {
  const driver = await PageDriver.customer(browser, server, 'looking');
  await driver.goto('/home/domains');
  await driver.says('No domains yet');
  await server.hostkeep.core.accounts.setFeature('looking', 'domains', false);
  await driver.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await driver.says('Domains is switched off');
  await server.hostkeep.core.accounts.setFeature('looking', 'domains', undefined);
  await driver.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await driver.says('No domains yet');
  await driver.finish([/status of 403 .*\/api\/domains$/]); // which may be asked for before the page knows
});

test('a page opened offline appears once the network is back', async (browser) => {
  const driver = await PageDriver.customer(browser, server, 'tunnel');
  await driver.page.evaluate('globalThis.isSamePage = true');
  await driver.page.setOfflineMode(true);
  await driver.says('The server is not responding. This page keeps trying.');
  await driver.press('Sites');
  await driver.page.click('.nav a[href$="/domains"]');
  await driver.page.waitForSelector('main .skeleton');
  await driver.page.setOfflineMode(false);
  await driver.says('No domains yet');
  await driver.page.waitForFunction('!document.body.innerText.includes("is not responding")');
  assert.is(await driver.page.evaluate('globalThis.isSamePage'), true);
  await driver.finish([/ERR_INTERNET_DISCONNECTED/]);
});

test('pages show the first of 500 domains; search and palette find the last', async (browser) => {
  const { core } = server.hostkeep;
  const { id } = await server.account('many');
  await core.store.write((tx) =>
    tx.run(
      `insert into domains (account_id, name, reversed, docroot, is_main, state, claimed_by, created_at)
        with recursive n (i) as (select 1 union all select i + 1 from n where i < 500)
        select ?, 'site-' || i || '.example', 'example.site-' || i, 'site-' || i, 1, 'active', '', i from n`,
      id,
    ),
  );
  const driver = await PageDriver.open(browser, server);
  await driver.enter('many');
  await driver.goto('/home/domains');
  await driver.says('500 domains');
  assert.is((await driver.page.$$('.table tbody tr')).length, 25);
  await driver.says('Page 1 of 20 · 500 in total');
  await driver.page.type('.search-input input', 'site-499.');
  await driver.page.waitForFunction('document.querySelectorAll(".table tbody tr").length === 1');
  await driver.page.click('.search-button');
  await driver.page.type('.palette .input', 'site-500.');
  await driver.page.waitForSelector('.palette ::-p-text(site-500.example)');
  await driver.page.keyboard.press('Escape');
  await driver.show(320, 'dark');
  assert.not(await driver.overflows());
  await driver.finish();
});

test('the palette says that a part of its search failed, and shows the rest', async (browser) => {
  const driver = await PageDriver.customer(browser, server, 'searcher');
  const body = { domain_url: 'found.example' };
  await server.ask('/api/domains/new', { method: 'POST', token: await tokenOf('searcher'), body });
  driver.page.on('request', (request) => {
    if (!request.url().includes('/api/search/files')) return void request.continue();
    const problem = { title: 'Search overloaded', error: 'overloaded', status: 503 };
    return void request.respond({
      status: 503,
      contentType: 'application/problem+json',
      body: JSON.stringify(problem),
    });
  });
  await driver.page.setRequestInterception(true);
  await driver.page.click('.search-button');
  await driver.page.type('.palette .input', 'found');
  await driver.page.waitForSelector('.palette [role=alert] ::-p-text(Part of the search failed: Search overloaded)');
  await driver.page.waitForSelector('.palette ::-p-text(found.example)');
  await driver.page.type('.palette .input', 'x');
  await driver.page.waitForSelector('.palette [role=option]', { hidden: true });
  assert.not.match(await driver.page.$eval('.palette', (each) => each.textContent ?? ''), /Nothing found/);
  await driver.finish();
});

test("the palette's late answer does not replace the newer one", async (browser) => {
  const driver = await PageDriver.customer(browser, server, 'typist');
  const token = await tokenOf('typist');
  for (const domain_url of ['first.example', 'last.example'])
    await server.ask('/api/domains/new', { method: 'POST', token, body: { domain_url } });
  const late: HTTPRequest[] = [];
  driver.page.on('request', (request) => {
    if (request.url().includes('first')) late.push(request);
    else void request.continue();
  });
  await driver.page.setRequestInterception(true);
  await driver.page.click('.search-button');
  await driver.page.type('.palette .input', 'first');
  await until('the server is asked', () => late.length > 0);
  await driver.page.$eval('.palette .input', (input) => (input as unknown as { select(): void }).select());
  await driver.page.type('.palette .input', 'last');
  await driver.page.waitForSelector('.palette ::-p-text(last.example)');
  await driver.page.evaluate(`globalThis.isShown = false;
    new MutationObserver(() => (globalThis.isShown ||= document.querySelector('.palette').innerText.includes('first.example')))
      .observe(document.querySelector('.palette'), { childList: true, subtree: true, characterData: true });`);
  await Promise.all(late.map((request) => request.continue()));
  await until('it has answered', () => late.every((request) => request.response() !== null));
  await driver.page.evaluate("fetch('/api/session')"); // an answer after all that the page waits for
  assert.is(await driver.page.evaluate('globalThis.isShown'), false);
  await driver.finish();
});

test('two hundred containers: a page shows the first, and the last are one press away', async (browser) => {
  const driver = await PageDriver.customer(browser, server, 'boxes');
  await driver.goto('/home/containers');
  await driver.says('200 in total');
  const tables = await driver.page.$$('.table');
  for (const table of tables) assert.is((await table.$$('tbody tr')).length, 25);
  assert.is(tables.length, 2, 'what they do, and what they take');
  await driver.press('Next');
  await driver.says('Page 2 of 8');
  await driver.show(320, 'light');
  assert.not(await driver.overflows());
  await driver.finish();
});
