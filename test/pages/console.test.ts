/**
 * Operators at work in a real browser: accounts, plans and features, two operators at once, and ten thousand accounts.
 *
 */
import type { Browser } from 'puppeteer-core';
import * as assert from '../support/assert.ts';
import { browserSuite } from '../support/chromium.ts';
import { PASSWORD, TestServer } from '../support/hostkeep.ts';
import { PageDriver } from '../support/page-driver.ts';
import { temporaryFolder } from '../support/folder.ts';
import { freePort } from '../support/port.ts';
import { until } from '../support/until.ts';
import { pick } from '../support/lists.ts';

const test = browserSuite('pages: console', 'to use the console in');
let server: TestServer;
test.before(async () => {
  server = await TestServer.start();
  await server.account('root', '', 'admin');
});

const entered = (of: Browser) => PageDriver.entered(of, server, 'admin', 'root');

test('the figures are live, from a stream', async (browser) => {
  const driver = await PageDriver.open(browser, server, 'admin');
  await driver.enter('root');
  await driver.says('Cores');
  await driver.page.waitForSelector('.badge.good');
  await driver.page.waitForSelector('.sparkline polyline');
  await driver.finish();
});

test('what the server says is in the language that an operator chooses in the menu', async (browser) => {
  await server.account('berta', '', 'admin');
  const driver = await PageDriver.entered(browser, server, 'admin', 'berta');
  await driver.goto('/console/features');
  await driver.page.click('.menu > button');
  await driver.press('Deutsch');
  await driver.says('Anmeldeverlauf');
  assert.is((await server.hostkeep.core.accounts.get('berta')).locale, 'de');
  await driver.finish();
});

test('a place that is not there does not speak of a plan, and leads back', async (browser) => {
  const driver = await entered(browser);
  await driver.goto('/console/nowhere');
  assert.match(await driver.text('main'), /Page not found.*the plugin that it belongs to is off/);
  await driver.press('Go to the start page');
  await driver.says('Cores');
  await driver.finish();
});

test('an account is suspended, and that is undone', async (browser) => {
  const { accounts } = server.hostkeep.core;
  await server.account('sus', 'basic');
  const driver = await entered(browser);
  await driver.goto('/console/accounts');
  await driver.press('Suspend sus');
  await driver.says('sus was suspended');
  assert.ok((await accounts.get('sus')).suspended);
  await driver.press('Undo');
  await until('sus is active again', async () => !(await accounts.get('sus')).suspended);
  await driver.finish();
});

test('an account is found, changed, and removed only after typing its name', async (browser) => {
  const { core } = server.hostkeep;
  for (let i = 0; i < 300; i++)
    await core.accounts.create({ username: `many-${i}`, role: 'user', plan: 'basic', passwordHash: 'x' });
  const driver = await entered(browser);
  await driver.goto('/console/accounts');
  await driver.says('accounts');
  await driver.page.type('.search-input input', 'many-299');
  await driver.page.waitForFunction(
    () =>
      !/many-(?!299)/.test(
        String((globalThis as { document?: { body: { innerText: string } } }).document?.body.innerText),
      ),
  );
  await driver.page.click('a[href$="/accounts/many-299"]');
  await driver.says('Change plan');
  await driver.press('Change plan');
  await driver.choose('dialog select', 'developer');
  await driver.says('What changes');
  await driver.page.click('dialog .button.primary');
  await driver.says('The plan of many-299 was changed');
  assert.is((await core.accounts.get('many-299')).plan?.name, 'developer');
  await driver.press('Remove account');
  await driver.page.waitForSelector('dialog .button.danger[disabled]');
  await driver.page.type('dialog .input', 'many-299');
  await driver.page.click('dialog .button.danger');
  await driver.says('many-299 was removed');
  assert.is(await core.accounts.byUsername('many-299'), undefined);
  // The page asked again after the change of plan, and the removal may come before the answer.
  await driver.finish([/status of 404 .*\/many-299\b/]);
});

test('two operators switch the same cell: both see what holds', async (browser) => {
  const [one, two] = [await entered(browser), await entered(browser)];
  const cell = 'named/Domains, basic';
  const isOn = (driver: PageDriver) =>
    driver.page.$eval(cell, (element) => element.getAttribute('aria-checked') === 'true');
  for (const driver of [one, two]) {
    await driver.goto('/console/features');
    await driver.page.waitForSelector(cell);
    assert.ok(await isOn(driver));
  }
  const holds = async () => (await server.hostkeep.core.plans.get('basic')).features.has('domains');
  await one.page.click(cell);
  await one.says('Domains is off in basic');
  assert.not(await holds());
  await two.page.click(cell);
  await two.says('Domains is off in basic');
  assert.not(await holds(), 'both wanted it off');
  await two.press('Undo');
  await until('the plan has it again', holds);
  await until('the page shows it', () => isOn(two));
  for (const driver of [one, two]) await driver.finish();
});

test('the matrix is used by keyboard while its search narrows it', async (browser) => {
  const driver = await entered(browser);
  await driver.goto('/console/features');
  await driver.page.type('main input[type=search]', 'domains');
  await driver.page.waitForFunction(`document.querySelectorAll('.matrix tbody tr:not([hidden])').length < 6`);
  const holds = async () => (await server.hostkeep.core.plans.get('basic')).features.has('domains');
  const before = await holds();
  await driver.page.focus('named/Domains, basic');
  await driver.page.keyboard.press('Space');
  await driver.says(`Domains is ${before ? 'off' : 'on'} in basic`);
  assert.is(await holds(), !before);
  await driver.page.waitForFunction(`document.activeElement.ariaChecked === '${String(!before)}'`);
  await driver.press('Undo');
  await until('the plan is as before', async () => (await holds()) === before);
  await driver.finish();
});

test('a plan is cloned with unlimited storage, and cannot be removed while it is used', async (browser) => {
  const driver = await entered(browser);
  await driver.goto('/console/plans');
  await driver.press('Clone standard');
  await driver.page.waitForSelector('dialog[open] .input');
  await driver.page.type('dialog .input', 'wide');
  await driver.page.click('::-p-xpath(//label[.="Unlimited Storage in MiB"]/input)');
  await driver.page.click('dialog .button.primary');
  await driver.says('The plan wide was saved');
  const plan = await server.hostkeep.core.plans.get('wide');
  assert.is(plan.limits['disk_limit_mib'], 0);
  assert.ok(plan.features.has('domains'));
  await server.account('user-of-wide', 'wide');
  await driver.page.focus('named/Remove wide'); // it may lie below the message
  await driver.page.keyboard.press('Enter');
  await driver.says('1 account still has this plan');
  await driver.finish();
});

test('events appear as they happen, and only those of the filter', async (browser) => {
  const driver = await entered(browser);
  await driver.goto('/console/events#account=eve');
  await driver.says('No events match these filters');
  await driver.page.waitForSelector('.badge.good');
  await server.account('eve', 'basic');
  await server.account('adam', 'basic');
  await driver.says('eve · Was created');
  assert.not((await driver.text('main')).includes('adam'));
  await driver.page.type('.search-input input[placeholder^=Type]', 'plan.*');
  await driver.page.waitForFunction("decodeURIComponent(location.hash).includes('type=plan.*')");
  await driver.says('No events match these filters');
  await driver.finish();
});

test('an operator opens an account by a link, sees who did that, and leaves it', async (browser) => {
  await server.account('ida', 'basic');
  const driver = await entered(browser);
  await driver.goto('/console/accounts/ida');
  await driver.press('Log in as');
  await driver.press('Create the link');
  await driver.says('Confirm that it is you');
  await driver.page.type('dialog input[autocomplete=current-password]', PASSWORD);
  await driver.page.keyboard.press('Enter');
  const link = await driver.page.waitForSelector('dialog a.button.primary');
  const url = await link?.evaluate((element) => (element as unknown as { href: string }).href);
  const home = await PageDriver.open(browser, server);
  await home.page.goto(String(url));
  await home.says('You see what ida sees. The administrator root opened this account');
  assert.not(
    ((await home.page.evaluate('location.href')) as string).includes('login='),
    'the code is gone from the address',
  );
  await home.press('Leave the account');
  await home.page.waitForSelector('.login');
  const again = await PageDriver.open(browser, server);
  await again.page.goto(String(url));
  await again.page.waitForSelector('.login');
  await again.says('The link is no longer valid');
  await again.close();
  await driver.finish([/status of 403/]);
  await home.close();
});

test('what happens while the stream of events is being opened is shown', async (browser) => {
  const driver = await entered(browser);
  const open = new Promise<() => void>((resolve) => {
    driver.page.on('request', (request) => {
      if (request.url().includes('/api/events/stream')) resolve(() => void request.continue());
      else void request.continue();
    });
  });
  await driver.page.setRequestInterception(true);
  await driver.goto('/console/events#account=meanwhile');
  await driver.says('No events match these filters');
  await server.account('meanwhile', 'basic');
  (await open)();
  await driver.says('meanwhile · Was created');
  await driver.finish();
});

test('what is typed while the page takes over what was typed before is kept', async (browser) => {
  const driver = await entered(browser);
  await driver.goto('/console/accounts');
  const input = '.search-input input';
  await driver.page.waitForSelector(input);
  // The last letter comes as the address takes over the first ones, before the page shows them.
  await driver.page.evaluate(`{
    const replace = history.replaceState;
    history.replaceState = function (...given) {
      replace.apply(this, given);
      if (!location.hash.endsWith('q=roo')) return;
      const input = document.querySelector('${input}');
      input.value = 'root';
      input.dispatchEvent(new Event('input', { bubbles: true }));
    };
  }`);
  await driver.page.type(input, 'roo');
  await driver.page.waitForFunction("location.hash.endsWith('q=root')");
  assert.is(await driver.page.$eval(input, (element) => (element as unknown as { value: string }).value), 'root');
  await driver.finish();
});

test('who is locked out is seen, and let in again', async (browser) => {
  await server.account('lou', 'basic');
  const wrong = { username: 'lou', password: 'wrong password' };
  for (let i = 0; i < 6; i++) await server.ask('/api/login', { method: 'POST', body: wrong });
  const driver = await entered(browser);
  await driver.goto('/console/sessions');
  await driver.press('Unlock lou');
  await driver.says('lou can log in again');
  await driver.says('Nobody is locked out');
  assert.is((await server.ask('/api/login', { method: 'POST', body: { ...wrong, password: PASSWORD } })).status, 200);
  await driver.finish();
});

test('what has just happened is not said to be about to', async (browser) => {
  const driver = await entered(browser);
  // The clock of relative times is read when the page is opened, and then twice a minute.
  await driver.page.evaluateOnNewDocument(
    '{ const now = Date.now; globalThis.behindMs = 20_000; Date.now = () => now() - globalThis.behindMs; }',
  );
  await driver.goto('/console/accounts');
  await driver.page.evaluate('globalThis.behindMs = 0');
  await server.token(await server.account('newcomer'));
  await driver.press('Sessions and locks');
  await driver.says('newcomer');
  assert.not.match(await driver.text('main'), /in \d+ seconds/);
  await driver.finish();
});

test('the API tokens of an account are seen, and one is ended', async (browser) => {
  const account = await server.account('tess', 'basic');
  const { tokens } = server.hostkeep.core;
  const wanted = { scopes: ['domains:read'], networks: [], expiresAt: Date.now() + 60_000 };
  for (const name of ['backup', 'monitor']) await tokens.make(account, { ...wanted, name }, '');
  const driver = await entered(browser);
  await driver.goto('/console/accounts/tess');
  await driver.press('End the API token backup');
  await driver.says('1 API token has ended');
  assert.equal(pick(await tokens.list(account.id), 'name'), ['monitor']);
  await driver.finish();
});

test('several accounts are changed at once, and the list is sorted by the server', async (browser) => {
  const { core } = server.hostkeep;
  for (const name of ['zz-one', 'zz-two', 'zz-three']) await server.account(name, 'basic');
  const driver = await entered(browser);
  await driver.goto('/console/accounts#q=zz-&sort=-username');
  await driver.says('3 accounts');
  const names = await driver.page.$$eval('tbody tr a', (links) =>
    links.map((link) => String((link as unknown as { textContent: string }).textContent)),
  );
  assert.equal(names, ['zz-two', 'zz-three', 'zz-one']);
  await driver.page.click('thead .choose');
  await driver.press('Change plan');
  await driver.choose('dialog select', 'standard');
  await driver.page.click('dialog .button.primary');
  await driver.says('3 accounts were changed');
  for (const name of names) assert.is((await core.accounts.get(name)).plan?.name, 'standard');
  await driver.press('Clear selection');
  await driver.press('Export CSV');
  await driver.says('3 accounts exported');
  await driver.finish();
});

test('ten thousand accounts: a page shows the first, and a search finds the last', async (browser) => {
  await server.hostkeep.core.store.write((tx) =>
    tx.run(`insert into accounts (username, role, email, password_hash, plan, created_at)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < 10000)
      select 'crowd-' || i, 'user', '', 'x', 'basic', i from n`),
  );
  const driver = await entered(browser);
  await driver.goto('/console/accounts');
  await driver.page.waitForSelector('tbody tr');
  assert.is((await driver.page.$$('tbody tr')).length, 50);
  await driver.page.type('.search-input input', 'crowd-9999');
  await driver.says('1 account');
  await driver.says('crowd-9999');
  await driver.finish();
});

test('the page shows the newest of 100,000 events, goes back and searches', async (browser) => {
  await server.account('long-ago', 'basic');
  await server.hostkeep.core.store.write((tx) =>
    tx.run(`insert into events (at, type, account_id, username, ip, line, folded, data)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < 100000)
      select 1700000000000 + i, 'login', null, 'crowd', '192.0.2.1',
        '[2026-01-01 00:00:00] User ''crowd'' logged in from IP 192.0.2.1', '', '{}' from n`),
  );
  const driver = await entered(browser);
  await driver.goto('/console/events#type=login');
  await driver.page.waitForSelector('.log.events li');
  assert.is((await driver.page.$$('.log.events li')).length, 50);
  await driver.press('Older events');
  await driver.page.waitForFunction(`document.querySelectorAll('.log.events li').length === 100`);
  await driver.goto('/console/events#account=long-ago&type=account.*');
  await driver.says('long-ago · Was created');
  await driver.finish();
});

test('hostile names of customers are shown to operators as text', async (browser) => {
  const hostile = `<img src=x onerror="alert(1)"> \u202Eevil\u202C 💥`;
  const agent = '<img src=x onerror="alert(1)">';
  const { token } = await server.user('hostile', 'developer');
  const put = (path: string, method: string, body: object) => server.ask(path, { method, token, body });
  assert.is((await put('/api/favorites', 'PUT', { link: '/x', title: hostile })).status, 200);
  const domain = { domain_url: 'hostile.example', docroot: `${hostile}/site` };
  assert.is((await put('/api/domains/new', 'POST', domain)).status, 201);
  const made = { name: agent, scopes: ['domains:read'], expires_in_days: 7, networks: [], password: PASSWORD };
  assert.is((await put('/api/account/tokens', 'POST', made)).status, 201);
  const login = { username: 'hostile', password: PASSWORD };
  await server.ask('/api/login', { method: 'POST', body: login, headers: { 'user-agent': agent } });
  const driver = await entered(browser);
  for (const path of ['/console/accounts/hostile', '/console/events#account=hostile', '/console/sessions']) {
    await driver.goto(path);
    await driver.says('hostile');
    assert.is(await driver.page.$('main img'), null, path);
    if (!path.endsWith('sessions')) assert.ok((await driver.text('main')).includes(agent), path);
    await driver.show(320, 'dark');
    assert.not(await driver.overflows(), `${path} at 320 px`);
  }
  await driver.finish();
});

test('an action that fails says why, under which number, and what was typed stays', async (browser) => {
  const driver = await entered(browser);
  await driver.goto('/console/plans');
  await driver.press('Clone standard');
  await driver.page.type('dialog .input', 'broken');
  const { plans } = server.hostkeep.core;
  const create = plans.create.bind(plans);
  Object.assign(plans, { create: () => Promise.reject(new Error('the battery is gone')) });
  try {
    await driver.page.click('dialog .button.primary');
    await driver.page.waitForSelector('dialog .panel.bad code');
    assert.not((await driver.text('dialog')).includes('battery'), 'the cause goes to the log only');
    assert.is(
      await driver.page.$eval('dialog .input', (input) => (input as unknown as { value: string }).value),
      'broken',
    );
  } finally {
    Object.assign(plans, { create });
  }
  await driver.page.click('dialog .button.primary');
  await driver.says('The plan broken was saved');
  await driver.finish([/status of 500/]);
});

test('429 and 503 of a list pass by themselves', async (browser) => {
  const driver = await entered(browser);
  const answers = [429, 503];
  await driver.page.setRequestInterception(true);
  driver.page.on('request', (request) => {
    const status = /\/api\/plans/.test(request.url()) ? answers.shift() : undefined;
    if (status === undefined) return void request.continue();
    const body = JSON.stringify({
      title: 'Too much work at the moment',
      status,
      error: 'overloaded',
      request_id: 'x-1',
    });
    const headers = { 'Retry-After': '1' };
    void request.respond({ status, contentType: 'application/problem+json', headers, body });
  });
  await driver.page.goto(`${driver.base}/console/plans`);
  await driver.says('This page keeps trying');
  await driver.page.waitForSelector('named/Edit basic');
  assert.equal(answers, []);
  await driver.finish([/status of 429/]);
});

test('the page survives a restart of the server and goes on by itself', async (browser) => {
  const config = { admin_listen: `127.0.0.1:${await freePort()}` };
  const data = temporaryFolder();
  const own = await TestServer.start({ config, data });
  await own.account('root', '', 'admin');
  const driver = await PageDriver.entered(browser, own, 'admin', 'root');
  await driver.goto('/console/events');
  await driver.page.waitForSelector('.badge.good');
  await own.close();
  await driver.says('Reconnecting');
  await driver.says('root · Was created');
  const next = await TestServer.start({ data, config });
  await driver.page.waitForSelector('.badge.good');
  await next.account('after-restart', 'basic');
  await driver.says('after-restart · Was created');
  await driver.close();
});

test('the live page shows the server; dragging and keys zoom its history', async (browser) => {
  await server.hostkeep.plugins.gather('demo', {
    demo: await server.account('demo'),
    other: await server.account('other', 'basic'),
    neighbours: [],
    now: Date.now(),
  });
  const driver = await entered(browser);
  await driver.goto('/console');
  await driver.says('Event loop delay');
  await driver.says('Uptime');
  await driver.says('Busiest processes');
  await driver.settled(); // what is above the curve does not push it away any more
  const curve = await driver.page.waitForSelector('.curve svg');
  assert.match(await driver.text('.curve .axis'), /100%.*50%.*0%/s);
  const spans: number[] = [];
  driver.page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === '/api/usage/history')
      spans.push(Number(searchParams.get('to')) - Number(searchParams.get('from')));
  });
  await curve?.scrollIntoView();
  const box = await curve?.boundingBox();
  if (box == null) throw new Error('the curve has no place');
  await driver.page.mouse.move(box.x + box.width * 0.25, box.y + 50);
  await driver.page.mouse.down();
  await driver.page.mouse.move(box.x + box.width * 0.75, box.y + 60, { steps: 5 });
  await driver.page.mouse.up();
  await until('half of the hour is asked for', () => spans.some((each) => each > 1700 && each < 1900));
  await driver.press('Zoom in');
  await until('half of that', () => spans.some((each) => each > 800 && each < 1000));
  await driver.press('Reset zoom');
  await until('the hour again', () => spans.at(-1) === 3600);
  await driver.finish();
});
