/**
 * Every page of the console in both themes and three widths, in a real browser with a real server: axe-core finds nothing,
 * nothing reaches beyond the window, and the browser has nothing to complain about.
 *
 */
import type { Browser } from 'puppeteer-core';
import { answers, judge } from '../support/appearance.ts';
import { startChromium } from '../support/chromium.ts';
import { TestServer } from '../support/hostkeep.ts';
import { PageDriver } from '../support/page-driver.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('pages: appearance of the console');
let server: TestServer;
let browser: Browser | undefined;
/** One for all pages, so that the browser keeps what they share. */
let driver: PageDriver | undefined;
test.before(async () => {
  const endpoints = ['good', 'bad'].map((path) => ({
    url: `http://127.0.0.1:1/${path}`,
    secret: `whsec_${'A'.repeat(32)}`,
  }));
  server = await TestServer.start({ config: { webhooks: { endpoints, allow_private: true } } });
  const people = { demo: await server.account('demo'), other: await server.account('other', 'basic') };
  const token = await server.token(await server.account('operator', '', 'admin'));
  await server.hostkeep.plugins.callInOrder('demo', { ...people, neighbours: [] });
  browser = await startChromium('to look at the pages');
  // last, and the pages that ask for them are first: what nobody asks for is not measured for long
  const usage = ['/api/usage', '/api/usage/stats', '/api/usage/accounts', '/api/usage/system'];
  await answers(server, usage, { token, address: 'admin' });
});
test.after(async () => {
  await browser?.close();
  await server.close();
});

/** Pages, and what opens their dialogs. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  '/console': [],
  '/console/accounts': ['Add account', 'Columns'],
  '/console/accounts/demo': ['Change plan', 'Log in as', 'Remove account'],
  '/console/features': [],
  '/console/plans': ['Compare plans', 'Edit basic', 'Remove basic'],
  '/console/plugins': [],
  '/console/plugins/doctor': [],
  '/console/plugins/settings': [],
  '/console/events': ['Show event 1'],
  '/console/sessions': [],
  '/console/webhooks': ['Redeliver to 127.0.0.1:1#0'],
  '/console/account': ['Turn on two-factor authentication'],
  '/console/account/sessions': [],
  '/console/account/tokens': ['Create API token'],
  '/console/docs#operation=events.list': [],
  '/console/nowhere': [],
};

for (const [path, dialogs] of Object.entries(PAGES))
  test(path, async () => {
    if (browser === undefined) return;
    driver ??= await PageDriver.entered(browser, server, 'admin', 'operator');
    await judge(driver, path, dialogs);
  });

test('the login', async () => {
  if (browser === undefined) return;
  const login = await PageDriver.open(browser, server, 'admin');
  await judge(login, '/');
  await login.close();
});
