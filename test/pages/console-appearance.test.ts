/**
 * Every page of the console in both themes and three widths, in a real browser with a real server: axe-core finds nothing,
 * nothing reaches beyond the window, and the browser has nothing to complain about.
 *
 * @slow starts Chromium
 */
import type { Browser } from 'puppeteer';
import { entered, judge } from '../support/appearance.ts';
import { startChromium } from '../support/chromium.ts';
import { TestServer } from '../support/hostkeep.ts';
import { PageDriver } from '../support/page-driver.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('pages: appearance of the console');
let server: TestServer;
let browser: Browser | undefined;
test.before(async () => {
  server = await TestServer.start();
  const people = { demo: await server.account('demo'), other: await server.account('other', 'basic') };
  await server.account('operator', '', 'admin');
  await server.hostkeep.plugins.callInOrder('demo', people);
  browser = await startChromium('to look at the pages');
});
test.after(async () => {
  await browser?.close();
  await server.close();
});

/** Pages, and what opens their dialogs. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  '/console': [],
  '/console/accounts': ['Add account'],
  '/console/accounts/demo': ['Change plan', 'Remove account'],
  '/console/features': [],
  '/console/plans': ['Edit basic', 'Remove basic'],
  '/console/plugins': [],
  '/console/account': ['Turn on two-factor authentication'],
  '/console/account/sessions': [],
};

test('the login', async () => {
  if (browser === undefined) return;
  const driver = await PageDriver.open(browser, server, 'admin');
  await judge(driver, '/');
  await driver.close();
});

for (const [path, dialogs] of Object.entries(PAGES))
  test(path, async () => {
    if (browser === undefined) return;
    const driver = await entered(browser, server, 'admin', 'operator');
    await judge(driver, path, dialogs);
    await driver.close();
  });
