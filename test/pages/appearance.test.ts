/**
 * Every page of both applications, in both themes and three widths, in a real browser with a real server: axe-core finds
 * nothing, nothing reaches beyond the window, and the browser has nothing to complain about.
 *
 * @slow starts Chromium
 */
import { join } from 'node:path';
import type { Browser } from 'puppeteer';
import * as assert from 'uvu/assert';
import type { Address } from '../../kernel/plugin-api/route-spec.ts';
import { startChromium } from '../support/chromium.ts';
import { demoEngine, type FakeEngine } from '../support/fake-engine.ts';
import { temporaryFolder } from '../support/folder.ts';
import { TestServer } from '../support/hostkeep.ts';
import { PageDriver, type Theme } from '../support/page-driver.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('pages: appearance');
const WIDTHS = [320, 768, 1280];
const THEMES: readonly Theme[] = ['light', 'dark'];
const SOCKET = join(temporaryFolder(), 'engine.sock');
let engine: FakeEngine;
let server: TestServer;
let browser: Browser | undefined;
test.before(async () => {
  engine = await demoEngine(SOCKET);
  const remote = 'https://pictures.example/?url={url}';
  server = await TestServer.start({ config: { containers: { socket: SOCKET }, screenshots: { remote_url: remote } } });
  const people = { demo: await server.account('demo'), other: await server.account('other', 'basic') };
  await server.account('operator', '', 'admin');
  await server.hostkeep.plugins.callInOrder('demo', people);
  browser = await startChromium('to look at the pages');
});
test.after(async () => {
  await browser?.close();
  await server.close();
  await engine.close();
});

/** Opens a page, and what it has as dialogs, in all themes and widths. */
async function judge(driver: PageDriver, path: string, open: readonly string[] = []): Promise<void> {
  for (const theme of THEMES)
    for (const width of WIDTHS) {
      await driver.show(width, theme);
      await driver.goto(path);
      const where = `${path}, ${theme}, ${width} px`;
      assert.equal(await driver.violations(), [], where);
      assert.not(await driver.overflows(), `${where}: nothing reaches beyond the window`);
      for (const name of open) {
        await driver.press(name);
        assert.equal(await driver.violations(), [], `${where}, ${name}`);
        await driver.page.keyboard.press('Escape');
      }
    }
  assert.equal(driver.complaints, [], path);
}

const HOME: Readonly<Record<string, readonly string[]>> = {
  '/home': ['Settings of demo', 'Keyboard'],
  '/home/domains': ['Add domain', 'Remove blog.sunny-garden.example'],
  '/home/sites': [],
  '/home/files': [],
  '/home/mysql': [],
  '/home/containers': [],
  '/home/account': ['Turn on two-factor authentication', 'Add favorite'],
  '/home/account/sessions': [],
  '/home/account/activity': [],
  '/home/info': [],
  '/home/nowhere': [],
};
const CONSOLE: Readonly<Record<string, readonly string[]>> = {
  '/console': [],
  '/console/accounts': ['Add account'],
  '/console/accounts/demo': ['Change plan', 'Remove account'],
  '/console/features': [],
  '/console/plans': ['Edit basic', 'Remove basic'],
  '/console/plugins': [],
  '/console/account': ['Turn on two-factor authentication'],
  '/console/account/sessions': [],
};

for (const [address, username, pages] of [
  ['user', 'demo', HOME],
  ['admin', 'operator', CONSOLE],
] as const) {
  test(`${username}: the login`, async () => {
    if (browser === undefined) return;
    const driver = await PageDriver.open(browser, server, address);
    await judge(driver, '/');
    await driver.close();
  });

  for (const [path, dialogs] of Object.entries(pages))
    test(`${username}: ${path}`, async () => {
      if (browser === undefined) return;
      const driver = await entered(browser, address, username);
      await judge(driver, path, dialogs);
      await driver.close();
    });
}

/** Logs in without the throttle, which many logins would meet. */
async function entered(of: Browser, address: Address, username: string): Promise<PageDriver> {
  const driver = await PageDriver.open(of, server, address);
  const account = await server.hostkeep.core.accounts.get(username);
  const token = await server.token(account);
  await driver.page.browserContext().setCookie({
    name: `hostkeep-${address}`,
    value: token,
    domain: '127.0.0.1',
    path: '/',
    httpOnly: true,
    sameSite: 'Strict',
  });
  return driver;
}
