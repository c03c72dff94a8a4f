/**
 * Customers at work in a real browser, and what must end well: by keyboard alone, with hostile names, without a network,
 * with sessions that end and features that go.
 *
 * @slow starts Chromium
 */
import type { Browser } from 'puppeteer';
import { TOTP } from 'otpauth';
import * as assert from 'uvu/assert';
import { startChromium } from '../support/chromium.ts';
import { PASSWORD, TestServer } from '../support/hostkeep.ts';
import { PageDriver } from '../support/page-driver.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('pages: home');
const HOSTILE = `<img src=x onerror="alert(1)"> \u202Eevil\u202C 💥 ${'x'.repeat(200)}`.slice(0, 255);
let server: TestServer;
let browser: Browser | undefined;
test.before(async () => {
  server = await TestServer.start({ config: { screenshots: { remote_url: 'https://pictures.example/?url={url}' } } });
  browser = await startChromium('to use the home in');
});
test.after(async () => {
  await browser?.close();
  await server.close();
});

/** Opens the home for a new account. */
async function entered(of: Browser, username: string, plan = 'developer'): Promise<PageDriver> {
  await server.account(username, plan);
  const driver = await PageDriver.open(of, server);
  await driver.enter(username);
  return driver;
}

async function close(driver: PageDriver, expected: readonly RegExp[] = []): Promise<void> {
  assert.equal(
    driver.complaints.filter((line) => !expected.some((pattern) => pattern.test(line))),
    [],
  );
  await driver.close();
}

test('by keyboard alone: log in, add a domain, find it, remove it', async () => {
  if (browser === undefined) return;
  const driver = await entered(browser, 'keys');
  const { keyboard } = driver.page;
  await keyboard.press('/');
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
  await driver.page.focus('.table tbody button');
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
  await close(driver);
});

const tokenOf = async (username: string) => server.token(await server.hostkeep.core.accounts.get(username));

test('a wrong password is said; the second factor is set up, asked for, and a recovery code replaces it', async () => {
  if (browser === undefined) return;
  const driver = await entered(browser, 'factor');
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
  await close(driver, [/status of 401/]);
});

test('a session that ends while a form is half filled: the login comes, and nothing typed is lost', async () => {
  if (browser === undefined) return;
  const driver = await entered(browser, 'halfway');
  await driver.goto('/home/domains');
  await driver.press('Add domain');
  await driver.page.waitForSelector('dialog .input');
  await driver.page.type('dialog .input', 'kept.example');
  const { account } = { account: await server.hostkeep.core.accounts.get('halfway') };
  await server.hostkeep.core.sessions.endOthers(account, '', '127.0.0.1');
  await driver.page.keyboard.press('Enter');
  await driver.says('Your session has ended');
  await driver.page.type('dialog[open] input[autocomplete=current-password]', PASSWORD);
  await driver.page.keyboard.press('Enter');
  await driver.page.waitForFunction('document.querySelectorAll("dialog").length === 1');
  await driver.page.waitForFunction('document.querySelector("dialog .input").value === "kept.example"');
  await driver.page.focus('dialog .input');
  await driver.page.keyboard.press('Enter');
  await driver.says('kept.example was added');
  await close(driver, [/status of 401/]);
});

test('a feature that is switched off while its page is open goes, with its entry in the navigation', async () => {
  if (browser === undefined) return;
  const driver = await entered(browser, 'feature');
  await driver.goto('/home/domains');
  await server.hostkeep.core.accounts.setFeature('feature', 'domains', false);
  await driver.press('Add domain');
  await driver.page.waitForSelector('dialog .input');
  await driver.page.type('dialog .input', 'late.example');
  await driver.page.keyboard.press('Enter');
  await driver.says('Page not found');
  assert.not((await driver.text('.nav')).includes('Domains'));
  await close(driver, [/status of 403/]);
});

test('without a network the page says so, keeps what it shows, and goes on by itself', async () => {
  if (browser === undefined) return;
  const driver = await entered(browser, 'network');
  await driver.goto('/home/domains');
  await driver.press('Add domain');
  await driver.page.waitForSelector('dialog .input');
  await driver.page.type('dialog .input', 'again.example');
  await driver.page.setOfflineMode(true);
  await driver.page.keyboard.press('Enter');
  await driver.says('The server does not answer');
  await driver.page.setOfflineMode(false);
  await driver.page.focus('dialog .input');
  await driver.page.keyboard.press('Enter');
  await driver.says('again.example was added');
  await driver.page.waitForFunction('!document.body.innerText.includes("does not answer")', { timeout: 15_000 });
  await close(driver, [/ERR_INTERNET_DISCONNECTED/]);
});

test('hostile names are shown as text', async () => {
  if (browser === undefined) return;
  const driver = await entered(browser, 'hostile');
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
  assert.equal(
    links.filter((link) => /^javascript/i.test(link)),
    [],
  );
  await close(driver);
});

test('the language changes at once and stays; so does the theme', async () => {
  if (browser === undefined) return;
  const driver = await entered(browser, 'language');
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
  await driver.page.click('.menu > button');
  await driver.press('Sombre');
  await driver.page.reload();
  await driver.settled();
  await driver.says("Vue d'ensemble");
  assert.is(await driver.page.$eval('html', (html) => html.getAttribute('data-theme')), 'dark');
  await close(driver);
});

test('back and forward, deep links, and a place that is not there', async () => {
  if (browser === undefined) return;
  const driver = await entered(browser, 'links');
  await driver.goto('/home/domains');
  await driver.page.click('.nav a[href$="/account"]');
  await driver.says('Change password');
  await driver.page.goBack();
  await driver.says('The names under which your sites are reached');
  await driver.page.goForward();
  await driver.says('Change password');
  assert.match(await driver.page.title(), /^Account/);
  await driver.goto('/home/nowhere');
  await driver.says('Page not found');
  await close(driver);
});
