/**
 * Tests how an operator adds a plan, in a real browser.
 *
 */
import * as assert from '../../../support/assert.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { PageDriver } from '../../../support/page-driver.ts';

const test = browserSuite('plans page', 'to add plans in');
let server: TestServer;
test.before(async () => {
  server = await TestServer.start();
  await server.account('root', '', 'admin');
});

const options = (driver: PageDriver) =>
  driver.page.$$eval('dialog[open] select option', (all) => all.map((each) => String(each.textContent)));

test('a new plan is based on another, and says what it leaves unlimited', async (browser) => {
  const { plans } = server.hostkeep.core;
  const driver = await PageDriver.entered(browser, server, 'admin', 'root');
  await driver.goto('/console/plans');
  await driver.press('Add plan');
  await driver.page.waitForSelector('dialog[open]');
  assert.equal(await options(driver), ['basic', 'standard', 'developer', 'Nothing: no features']);
  assert.not.match(await driver.text('dialog[open]'), /as much as the server has/);
  await driver.page.type('dialog .input', 'small');
  await driver.page.keyboard.press('Enter');
  await driver.says('The plan small was saved');
  const [small, basic] = [await plans.get('small'), await plans.get('basic')];
  assert.equal([[...small.features].toSorted(), small.limits], [[...basic.features].toSorted(), basic.limits]);
  await driver.press('Add plan');
  await driver.choose('dialog[open] select', '');
  await driver.page.waitForSelector('dialog[open] .panel.warn ::-p-text(as much as the server has)');
  assert.match(await driver.text('dialog[open] .panel.warn'), /Storage.*Memory|Memory.*Storage/s);
  assert.match(await driver.text('dialog[open]'), /Includes 0 features/);
  await driver.finish();
});

test('a new account gets the plan that most accounts have unless told otherwise', async (browser) => {
  for (const name of ['one', 'two']) await server.account(name, 'standard');
  await server.account('three', 'basic');
  const driver = await PageDriver.entered(browser, server, 'admin', 'root');
  await driver.goto('/console/accounts');
  await driver.press('Add account');
  await driver.page.waitForSelector('dialog[open] select');
  const chosen = await driver.page.$eval('dialog[open] select', (list) => (list as unknown as { value: string }).value);
  assert.is(chosen, 'standard');
  await driver.finish();
});
