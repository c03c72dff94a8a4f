/**
 * Every page of the home in both themes and three widths, in a real browser with a real server: axe-core finds nothing,
 * nothing reaches beyond the window, and the browser has nothing to complain about.
 *
 */
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';
import { answers, judge } from '../support/appearance.ts';
import { startChromium } from '../support/chromium.ts';
import { demoEngine, type FakeEngine } from '../support/fake-engine.ts';
import { temporaryFolder } from '../support/folder.ts';
import { TestServer } from '../support/hostkeep.ts';
import { PageDriver } from '../support/page-driver.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('pages: appearance of the home');
const SOCKET = join(temporaryFolder(), 'engine.sock');
let engine: FakeEngine;
let server: TestServer;
let browser: Browser | undefined;
/** One for all pages, so that the browser keeps what they share. */
let driver: PageDriver | undefined;
test.before(async () => {
  engine = await demoEngine(SOCKET);
  const remote = 'https://pictures.example/?url={url}';
  const containers = { socket: SOCKET, timeout_ms: 10_000 };
  server = await TestServer.start({ config: { containers, screenshots: { remote_url: remote } } });
  const people = { demo: await server.account('demo'), other: await server.account('other', 'basic') };
  await server.hostkeep.plugins.callInOrder('demo', { ...people, neighbours: [] });
  browser = await startChromium('to look at the pages');
  const token = await server.token(people.demo);
  // last, and the pages that ask for them are first: what nobody asks for is not measured for long
  const measured = ['/api/docker_stats', '/api/container/df', '/api/system/hosting/ports', '/api/disk_inodes'];
  await answers(server, measured, { token });
});
test.after(async () => {
  await browser?.close();
  await server.close();
  await engine.close();
});

/** Pages, and what opens their dialogs. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  '/home': ['Settings of demo', 'Keyboard shortcuts'],
  '/home/domains': ['Add domain', 'Remove blog.sunny-garden.example'],
  '/home/sites': [],
  '/home/files': [],
  '/home/mysql': [],
  '/home/containers': [],
  '/home/account': ['Turn on two-factor authentication', 'Add favorite'],
  '/home/account/sessions': [],
  '/home/account/tokens': ['Create API token'],
  '/home/account/activity': [],
  '/home/info': [],
  '/home/docs#operation=domains.add': [],
  '/home/nowhere': [],
};

for (const [path, dialogs] of Object.entries(PAGES))
  test(path, async () => {
    if (browser === undefined) return;
    driver ??= await PageDriver.entered(browser, server, 'user', 'demo');
    await judge(driver, path, dialogs);
  });

test('the login', async () => {
  if (browser === undefined) return;
  const login = await PageDriver.open(browser, server, 'user');
  await judge(login, '/');
  await login.close();
});
