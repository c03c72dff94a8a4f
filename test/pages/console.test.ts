/**
 * Operators at work in a real browser: accounts, plans and features, two operators at once, and ten thousand accounts.
 *
 * @slow starts Chromium
 */
import type { Browser } from 'puppeteer';
import * as assert from 'uvu/assert';
import { startChromium } from '../support/chromium.ts';
import { TestServer } from '../support/hostkeep.ts';
import { PageDriver } from '../support/page-driver.ts';
import { testSuite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = testSuite('pages: console');
let server: TestServer;
let browser: Browser | undefined;
test.before(async () => {
  server = await TestServer.start();
  await server.account('root', '', 'admin');
  browser = await startChromium('to use the console in');
});
test.after(async () => {
  await browser?.close();
  await server.close();
});

async function entered(of: Browser): Promise<PageDriver> {
  const driver = await PageDriver.open(of, server, 'admin');
  await driver.enter('root');
  return driver;
}

async function close(driver: PageDriver): Promise<void> {
  assert.equal(
    driver.complaints.filter((line) => !/status of 503/.test(line)), // the first sample of the hardware takes a moment
    [],
  );
  await driver.close();
}

test('the figures are live, from a stream', async () => {
  if (browser === undefined) return;
  const driver = await entered(browser);
  await driver.says('Each core');
  await driver.page.waitForSelector('.badge.good');
  await driver.page.waitForSelector('.sparkline polyline');
  await close(driver);
});

test('an account is suspended, and that is undone', async () => {
  if (browser === undefined) return;
  const { accounts } = server.hostkeep.core;
  await server.account('sus', 'basic');
  const driver = await entered(browser);
  await driver.goto('/console/accounts');
  await driver.press('Suspend sus');
  await driver.says('sus was suspended');
  assert.ok((await accounts.get('sus')).suspended);
  await driver.press('Undo');
  await until('sus is active again', 10_000, async () => !(await accounts.get('sus')).suspended);
  await close(driver);
});

test('an account is found among many, changed, and removed only after its name is typed', async () => {
  if (browser === undefined) return;
  const { core } = server.hostkeep;
  for (let i = 0; i < 300; i++)
    await core.accounts.create({ username: `many-${i}`, role: 'user', plan: 'basic', passwordHash: 'x' });
  const driver = await entered(browser);
  await driver.goto('/console/accounts');
  await driver.says('Page 1 of 4');
  await driver.page.type('.search-input input', 'many-299');
  await driver.page.waitForFunction(
    () =>
      !/many-(?!299)/.test(
        String((globalThis as { document?: { body: { innerText: string } } }).document?.body.innerText),
      ),
  );
  await driver.press('many-299');
  await driver.says('Change plan');
  await driver.press('Change plan');
  await (await driver.page.waitForSelector('dialog select'))?.select('developer');
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
  await close(driver);
});

test('two operators switch the same cell: both see what holds', async () => {
  if (browser === undefined) return;
  const [one, two] = [await entered(browser), await entered(browser)];
  const cell = 'input[aria-label="Domains, basic"]';
  const isOn = (driver: PageDriver) =>
    driver.page.$eval(cell, (input) => (input as unknown as { checked: boolean }).checked);
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
  await until('the plan has it again', 10_000, holds);
  await until('the page shows it', 10_000, () => isOn(two));
  for (const driver of [one, two]) await close(driver);
});

test('a plan is cloned with unlimited storage, and cannot be removed while it is used', async () => {
  if (browser === undefined) return;
  const driver = await entered(browser);
  await driver.goto('/console/plans');
  await driver.press('Clone standard');
  await driver.page.waitForSelector('dialog .input');
  await driver.page.type('dialog .input', 'wide');
  await driver.page.click('dialog .limit input[type=checkbox]');
  await driver.page.click('dialog .button.primary');
  await driver.says('The plan wide was saved');
  const plan = await server.hostkeep.core.plans.get('wide');
  assert.is(plan.disk_limit_mib, 0);
  assert.ok(plan.features.has('domains'));
  await server.account('user-of-wide', 'wide');
  await driver.press('Remove wide');
  await driver.says('1 account still has this plan');
  await close(driver);
});
