/**
 * Customers at work in a real browser: by keyboard alone, in their language and script, and within the limits of a plan.
 *
 */
import { TOTP } from 'otpauth';
import * as assert from '../support/assert.ts';
import { browserSuite } from '../support/chromium.ts';
import { PASSWORD, TestServer } from '../support/hostkeep.ts';
import { PageDriver } from '../support/page-driver.ts';
import { until } from '../support/until.ts';

const test = browserSuite('pages: home', 'to use the home in');
let server: TestServer;
test.before(async () => {
  server = await TestServer.start({ config: { screenshots: { remote_url: 'https://pictures.example/?url={url}' } } });
});

test('by keyboard alone: log in, add a domain, find it, remove it', async (browser) => {
  const driver = await PageDriver.customer(browser, server, 'keys');
  const { keyboard } = driver.page;
  await keyboard.press('/');
  await driver.page.waitForSelector('dialog.palette[open]');
  await keyboard.type('domains');
  await keyboard.press('Enter');
  await driver.settled();
  assert.match(driver.page.url(), /\/home\/domains$/);
  await driver.says('No domains yet');
  await driver.page.focus('.page-head .button');
  await keyboard.press('Enter');
  await driver.page.waitForSelector('dialog[open]');
  await keyboard.type('keys.example');
  await keyboard.press('Enter');
  await driver.says('keys.example was added');
  await driver.page.waitForSelector('.table tbody tr');
  await driver.page.focus('button[aria-label="Remove keys.example"]');
  await keyboard.press('Enter');
  await driver.page.waitForSelector('dialog[open]');
  await keyboard.press('Enter');
  assert.is((await server.ask<{ total: number }>('/api/domains', { token: await tokenOf('keys') })).body.total, 1);
  await driver.page.focus('dialog .input');
  await keyboard.type('keys.example');
  await keyboard.press('Enter');
  await driver.says('keys.example was removed');
  await driver.says('No domains yet');
  await keyboard.press('?');
  await driver.says('Search everything');
  await keyboard.press('Escape');
  await driver.finish();
});

test('removing what another window has removed ends well', async (browser) => {
  const driver = await PageDriver.customer(browser, server, 'windows');
  const given = { method: 'POST', token: await tokenOf('windows'), body: { domain_url: 'twice.example' } };
  assert.is((await server.ask('/api/domains/new', given)).status, 201);
  await driver.goto('/home/domains');
  await driver.press('Remove twice.example');
  await driver.page.waitForSelector('dialog[open] .input');
  assert.is((await server.ask('/api/domains/delete', given)).status, 200);
  await driver.page.type('dialog .input', 'twice.example');
  await driver.page.keyboard.press('Enter');
  await driver.says('twice.example was removed');
  await driver.says('No domains yet');
  await driver.page.waitForSelector('dialog', { hidden: true });
  await driver.finish([/status of 404/]);
});

const tokenOf = async (username: string) => server.token(await server.hostkeep.core.accounts.get(username));

test('login reports a wrong password and accepts codes and recovery codes', async (browser) => {
  const driver = await PageDriver.customer(browser, server, 'factor');
  await driver.goto('/home/account');
  await driver.press('Turn on two-factor authentication');
  await driver.page.waitForSelector('dialog[open] input');
  await driver.page.type('dialog input', PASSWORD);
  await driver.page.keyboard.press('Enter');
  const secret = await (await driver.page.waitForSelector('dialog code'))?.evaluate((code) => code.textContent);
  const totp = new TOTP({ secret: String(secret) });
  await driver.page.type('dialog input', totp.generate());
  await driver.page.keyboard.press('Enter');
  const codes = await driver.page.waitForSelector('.codes li');
  const recovery = String(await codes?.evaluate((code) => code.textContent));
  await driver.page.click('dialog input[type=checkbox]');
  await driver.press('Done');
  await driver.page.waitForFunction('document.querySelector("dialog") === null');
  await driver.press('Settings of factor');
  await driver.press('Log out');
  await driver.page.waitForSelector('main.login');
  await driver.logIn('factor', 'not the password');
  await driver.says('User name, password or code is wrong');
  await driver.page.$eval('input[autocomplete=current-password]', (input) =>
    (input as unknown as { select(): void }).select(),
  );
  await driver.page.type('input[autocomplete=current-password]', PASSWORD);
  await driver.page.keyboard.press('Enter');
  await driver.says('Six digits from your authenticator app');
  await driver.press('Use a recovery code');
  await driver.page.waitForSelector('main input');
  await driver.page.type('main input', recovery);
  await driver.page.keyboard.press('Enter');
  await driver.page.waitForSelector('.shell');
  await driver.finish([/status of 401/]);
});

test('an API token is made with chosen scopes, shown once, and ended', async (browser) => {
  const driver = await PageDriver.customer(browser, server, 'scripts');
  await driver.goto('/home/account/tokens');
  await driver.says('No API tokens yet');
  await driver.press('Create API token');
  await driver.page.waitForSelector('dialog[open] input');
  await driver.page.type('dialog input', 'Backup');
  await driver.page.click('dialog label[title^="GET /api/domains"] input');
  await driver.page.type('dialog input[autocomplete=current-password]', PASSWORD);
  await driver.page.keyboard.press('Enter');
  const shown = await driver.page.waitForSelector('dialog code');
  const token = String(await shown?.evaluate((code) => code.textContent));
  assert.equal(
    [(await server.ask('/api/domains', { token })).status, (await server.ask('/api/favorites', { token })).status],
    [200, 403],
  );
  await driver.page.click('dialog input[type=checkbox]');
  await driver.press('Done');
  await driver.page.waitForFunction('document.querySelector("dialog") === null');
  await driver.says('domains:read');
  assert.not.ok((await driver.page.content()).includes(token));
  await driver.page.click('button[aria-label="End the API token Backup"]'); // its cell has the same name
  await driver.page.waitForSelector('dialog[open]');
  await driver.page.click('dialog[open] button[type=submit]');
  await driver.says('No API tokens yet');
  assert.is((await server.ask('/api/domains', { token })).status, 401);
  await driver.finish();
});

test('favorites change places by buttons and by keys, and the focus stays with them', async (browser) => {
  const driver = await PageDriver.customer(browser, server, 'order');
  const token = await tokenOf('order');
  for (const title of ['One', 'Two', 'Three'])
    await server.ask('/api/favorites', { method: 'PUT', token, body: { link: `/${title}`, title } });
  const order = async () => {
    const { body } = await server.ask<{ title: string }[]>('/api/favorites', { token });
    return body.map(({ title }) => title).join(' ');
  };
  const focused = () => driver.page.evaluate('document.activeElement.getAttribute("aria-label")');
  await driver.goto('/home/account');
  await driver.press('Move Three up');
  await driver.says('Three is now number 2 of 3');
  await until('the focus is on it', async () => (await focused()) === 'Move Three up');
  assert.is(await order(), 'One Three Two');
  await driver.page.keyboard.press('Enter');
  await driver.says('Three is now number 1 of 3');
  await until('the focus stays in its row', async () => (await focused()) === 'Move Three down');
  await driver.page.keyboard.down('Alt');
  await driver.page.keyboard.press('ArrowDown');
  await driver.page.keyboard.up('Alt');
  await driver.says('Three is now number 2 of 3');
  await driver.press('Remove the favorite Three');
  await driver.press('Undo');
  await driver.page.waitForSelector('named/Move Three up');
  assert.is(await order(), 'One Three Two', 'what comes back stands where it stood');
  await driver.finish();
});

test('the page of the plan has the units of the other pages', async (browser) => {
  const driver = await PageDriver.customer(browser, server, 'unit');
  await driver.goto('/home/info');
  assert.match(await driver.text('main'), /Storage100 GiB.*Memory8 GiB/);
  assert.match(await driver.text('main'), /SFTP logins/, 'as the page of logins calls them');
  await driver.finish();
});

test('the limits of the plan are said before they are hit', async (browser) => {
  const { plans } = server.hostkeep.core;
  const { features, limits } = await plans.get('basic');
  await plans.create('narrow', { limits: { ...limits, domains_limit: 2, names_limit: 3 } }, [...features]);
  const driver = await PageDriver.customer(browser, server, 'narrow', 'narrow');
  const token = await tokenOf('narrow');
  const add = (name: string) => server.ask('/api/domains/new', { method: 'POST', token, body: { domain_url: name } });
  await add('one.example');
  await driver.goto('/home/domains');
  await driver.says('1 of 2 domains');
  await driver.press('Add domain');
  await driver.page.waitForSelector('dialog[open] .input');
  assert.match(await driver.text('dialog'), /1 of 2 domains/);
  await driver.page.type('dialog .input', 'sub.two.example');
  await driver.page.keyboard.press('Enter');
  await driver.says('All 2 domains of your plan are in use');
  await driver.press('Add domain');
  await driver.page.waitForSelector('dialog[open] .input');
  await driver.page.type('dialog .input', 'three.example');
  await driver.says('only a subdomain of one of them has room');
  await driver.page.waitForSelector('dialog button[type=submit]:disabled');
  const type = async (text: string) => {
    await driver.page.$eval('dialog .input', (input) => (input as unknown as { select(): void }).select());
    await driver.page.type('dialog .input', text);
    await driver.page.waitForSelector('dialog button[type=submit]:enabled');
  };
  await type('two.example'); // takes the place of its subdomain
  await type('shop.one.example');
  await driver.page.keyboard.press('Enter');
  await driver.says('All 3 names of your plan are in use');
  await driver.says('3 of 3 names, subdomains included');
  await driver.page.waitForSelector('.page-head .button:disabled');
  await driver.finish();
});

test('names in other scripts are shown as written, with their ASCII form', async (browser) => {
  const driver = await PageDriver.customer(browser, server, 'scripts-of-names');
  const names = { 'Bücher.example': 'xn--bcher-kva.example', '例え.テスト': 'xn--r8jz45g.xn--zckzah' };
  await driver.goto('/home/domains');
  for (const name of Object.keys(names)) {
    await driver.page.click('.page-head .button');
    await driver.page.waitForSelector('dialog[open] .input');
    await driver.page.type('dialog .input', name);
    await driver.page.keyboard.press('Enter');
    await driver.says(`${name.toLowerCase()} was added`);
    await driver.page.waitForSelector('dialog', { hidden: true });
  }
  for (const [name, ascii] of Object.entries(names)) {
    await driver.says(name.toLowerCase());
    await driver.page.waitForSelector(`.table span[title="${ascii}"]`);
    assert.ok((await driver.text('.table')).includes(ascii));
  }
  await driver.page.type('.search-input input', 'büch');
  await driver.page.waitForFunction('document.querySelectorAll(".table tbody tr").length === 1');
  await driver.page.click('.page-head .button');
  await driver.page.waitForSelector('dialog[open] .input');
  await driver.page.type('dialog .input', 'BÜCHER.example');
  await driver.says('This domain is in the account already');
  assert.match(await driver.text('dialog'), /a folder named …\./);
  await driver.page.keyboard.press('Escape');
  await driver.page.waitForSelector('dialog', { hidden: true });
  await driver.page.click('button[aria-label="Remove bücher.example"]');
  await driver.page.waitForSelector('dialog[open] .input');
  await driver.page.type('dialog .input', 'xn--bcher-kva.example');
  await driver.page.keyboard.press('Enter');
  await driver.says('bücher.example was removed');
  await driver.finish();
});

test('the language changes at once and stays; so does the theme', async (browser) => {
  const driver = await PageDriver.customer(browser, server, 'language');
  for (const [name, text] of [
    ['Deutsch', 'Übersicht'],
    ['Français', "Vue d'ensemble"],
  ] as const) {
    await driver.page.click('.menu > button');
    await driver.press(name);
    await driver.says(text);
    await driver.page.keyboard.press('Escape');
  }
  assert.is(await driver.page.$eval('html', (html) => html.getAttribute('lang')), 'fr');
  const { accounts } = server.hostkeep.core;
  await until('the server writes it, too', async () => (await accounts.get('language')).locale === 'fr');
  await driver.page.click('.menu > button');
  await driver.press('Sombre');
  await driver.page.reload();
  await driver.settled();
  await driver.says("Vue d'ensemble");
  assert.is(await driver.page.$eval('html', (html) => html.getAttribute('data-theme')), 'dark');
  await driver.finish();
});

test('back and forward, deep links, and a place that is not there', async (browser) => {
  const driver = await PageDriver.customer(browser, server, 'links');
  await driver.goto('/home/domains');
  await driver.page.click('.nav a[href$="/account"]');
  await driver.says('Change password');
  await driver.page.goBack();
  await driver.says('The names that lead to your sites');
  await driver.page.goForward();
  await driver.says('Change password');
  await driver.page.waitForFunction("document.title.startsWith('Account')");
  await driver.goto('/home/nowhere');
  await driver.says('Page not found');
  await driver.finish();
});
