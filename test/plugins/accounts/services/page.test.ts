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

test('a button of a row is named by what it shows', async (browser) => {
  await server.account('sus', 'basic');
  await server.hostkeep.core.accounts.suspend('sus');
  const driver = await entered(browser);
  await driver.goto('/console/accounts');
  await driver.page.waitForSelector('aria/Lift suspension of sus');
  assert.equal(await driver.violations(['label-content-name-mismatch']), []);
  await driver.finish();
});
