/**
 * Tests the pages of accounts in a real browser: what an operator must not miss.
 *
 */
import type { Browser } from 'puppeteer-core';
import * as assert from '../../../support/assert.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { PASSWORD, TestServer } from '../../../support/hostkeep.ts';
import { PageDriver } from '../../../support/page-driver.ts';

const test = browserSuite('accounts page', 'to manage accounts in');
let server: TestServer;
test.before(async () => {
  server = await TestServer.start();
  await server.account('root', '', 'admin');
});

const entered = (of: Browser) => PageDriver.entered(of, server, 'admin', 'root');
const logIn = (username: string, password: string) =>
  server.ask('/api/login', { method: 'POST', body: { username, password } });

test('the password of a new account is shown once, until it is said to be saved', async (browser) => {
  const driver = await entered(browser);
  await driver.goto('/console/accounts');
  await driver.press('Add account');
  await driver.page.type('dialog[open] .input', 'newcomer');
  await driver.page.keyboard.press('Enter');
  await driver.says('It is shown only now');
  for (const key of ['Enter', 'Escape', 'Escape', 'Escape'] as const) await driver.page.keyboard.press(key);
  await driver.says('The browser does not allow this'); // its keys are for the button that copies
  const password = await driver.text('dialog[open] code');
  assert.is((await logIn('newcomer', password)).status, 200);
  const buttons = await driver.page.$$eval('dialog[open] .dialog-end button', (all) =>
    all.map((each) => [String(each.textContent), (each as unknown as { disabled: boolean }).disabled]),
  );
  assert.equal(buttons, [['Done', true]]);
  await driver.page.click('dialog[open] input[type=checkbox]');
  await driver.press('Done');
  await driver.page.waitForSelector('dialog', { hidden: true });
  await driver.finish();
});

test('a suspended or locked account says why it cannot log in, and what helps', async (browser) => {
  await server.account('lou', 'basic');
  const driver = await entered(browser);
  await driver.goto('/console/accounts/lou');
  await driver.page.waitForSelector('.facts ::-p-text(Yes)');
  for (let i = 0; i < 6; i++) await logIn('lou', 'wrong password');
  await driver.goto('/console/accounts/lou');
  await driver.says('too many logins failed');
  await driver.says('Locked out');
  await driver.page.click('.facts button');
  await driver.page.click('dialog[open] .button.danger');
  await driver.page.waitForSelector('.facts ::-p-text(Yes)');
  assert.is((await logIn('lou', PASSWORD)).status, 200);
  await driver.press('Suspend');
  await driver.page.click('dialog[open] .button.danger');
  await driver.says('No, because the account is suspended');
  await driver.page.click('.facts button');
  await driver.page.click('dialog[open] .button.danger');
  await driver.page.waitForSelector('.facts ::-p-text(Yes)');
  await driver.finish();
});

test('the e-mail address and the language of an account are changed on its page', async (browser) => {
  await server.account('eve', 'basic');
  const driver = await entered(browser);
  await driver.goto('/console/accounts/eve');
  const submit = 'dialog[open] button[type=submit]';
  await driver.press('Edit');
  await driver.page.waitForSelector(`${submit}:disabled`);
  await driver.page.type('dialog[open] .input', 'nobody');
  await driver.page.click(submit);
  await driver.page.waitForSelector('dialog[open] .panel.bad ::-p-text(Something that you entered does not fit)');
  await driver.page.type('dialog[open] .input', '@example.com');
  await driver.choose('dialog[open] select', 'de');
  await driver.page.click(submit);
  await driver.says('eve was changed');
  await driver.says('nobody@example.com');
  await driver.says('German');
  const { email, locale } = await server.hostkeep.core.accounts.get('eve');
  assert.equal([email, locale], ['nobody@example.com', 'de']);
  await driver.finish([/status of 400/]);
});

test('what an account uses is named as in its plan', async (browser) => {
  await server.account('max', 'basic');
  const driver = await entered(browser);
  const usage = ['mysql_mib', 'postgresql_mib'].map((resource) => ({ resource, used: 1, limit: 2, isOver: false }));
  await driver.page.setRequestInterception(true);
  driver.page.on('request', (request) => {
    if (!request.url().endsWith('/api/accounts/max/usage')) return void request.continue();
    void request.respond({ contentType: 'application/json', body: JSON.stringify({ usage, problems: [] }) });
  });
  await driver.goto('/console/accounts/max');
  const titles = await driver.page.$$eval('.meter-line', (all) => all.map((each) => String(each.textContent)));
  assert.equal(titles, ['Size of MariaDB databases1 MiB of 2 MiB', 'Size of PostgreSQL databases1 MiB of 2 MiB']);
  await driver.finish();
});

test('a button of a row is named by what it shows', async (browser) => {
  await server.account('sus', 'basic');
  await server.hostkeep.core.accounts.suspend('sus');
  const driver = await entered(browser);
  await driver.goto('/console/accounts');
  await driver.page.waitForSelector('named/Lift suspension of sus');
  assert.equal(await driver.violations(['label-content-name-mismatch']), []);
  await driver.finish();
});
