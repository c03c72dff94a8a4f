/** How customers and administrators find the pages: the groups of the navigation, and what a server runs without. */
import * as assert from '../support/assert.ts';
import { browserSuite } from '../support/chromium.ts';
import { TestServer } from '../support/hostkeep.ts';
import { PageDriver } from '../support/page-driver.ts';
import { until } from '../support/until.ts';

const test = browserSuite('pages: navigation', 'to find pages in');
let server: TestServer;
test.before(async () => {
  server = await TestServer.start();
  await server.account('root', '', 'admin');
});

const entries = (driver: PageDriver) =>
  driver.page.$$eval('.nav > :is(a, button)', (all) => all.map((each) => String(each.textContent)));
const linked = (driver: PageDriver) =>
  driver.page.$$eval('.nav a', (all) => all.map((each) => String(each.getAttribute('href'))));

/** Presses Enter on the heading of a group, and resolves once it is as wanted. */
async function fold(driver: PageDriver, group: string, isUnfolded: boolean): Promise<void> {
  const heading = await driver.page.waitForSelector(`.nav ::-p-named(${group})`);
  await heading?.focus();
  await driver.page.keyboard.press('Enter');
  await driver.page.waitForFunction(
    `[...document.querySelectorAll('.nav button[aria-expanded=${isUnfolded}]')].some((each) => each.textContent === '${group}')`,
  );
}

test('groups unfold by keyboard, and stay as somebody left them', async (browser) => {
  const driver = await PageDriver.customer(browser, server, 'folding');
  const all = [
    'Overview',
    'Sites',
    'Security',
    'Traffic',
    'Storage',
    'Databases',
    'Advanced',
    'Account',
    'Plan',
    'API',
  ];
  assert.equal(await entries(driver), all);
  assert.not((await linked(driver)).includes('/home/sftp'));
  await fold(driver, 'Storage', true);
  assert.ok((await linked(driver)).includes('/home/sftp'));
  await driver.goto('/home/certificates');
  const now = await linked(driver);
  assert.ok(now.includes('/home/sftp'), 'unfolded before');
  assert.ok(now.includes('/home/waf'), 'beside the shown page');
  assert.not(now.includes('/home/domains'));
  const current = await driver.page.$$eval('.nav [aria-current]', (found) => found.map((each) => each.textContent));
  assert.equal(current, ['HTTPS']);
  await fold(driver, 'Security', false);
  await driver.goto('/home/certificates');
  assert.ok((await linked(driver)).includes('/home/certificates'), 'whoever enters a page sees where it stands');
  await driver.finish();
});

test('what is stored of the navigation may be anything', async (browser) => {
  const driver = await PageDriver.customer(browser, server, 'storing');
  for (const stored of ['{', 'null', '[]', '{"sites":"yes","other":1}']) {
    await driver.page.evaluate(`localStorage.setItem('hostkeep-navigation', ${JSON.stringify(stored)})`);
    await driver.goto('/home/domains');
    assert.ok((await linked(driver)).includes('/home/domains'), stored);
  }
  await driver.finish();
});

test('a short list is unfolded, and a group of one page is that page', async (browser) => {
  await server.account('short', 'developer');
  const { accounts } = server.hostkeep.core;
  const { features } = await accounts.get('short');
  for (const each of features)
    if (!['domains', 'php', 'errors', 'filemanager', 'account'].includes(each))
      await accounts.setFeature('short', each, false);
  const driver = await PageDriver.entered(browser, server, 'user', 'short');
  await driver.goto('/home');
  assert.equal(await entries(driver), ['Overview', 'Sites', 'Traffic', 'Files', 'Account', 'API']);
  assert.ok((await linked(driver)).includes('/home/domains'));
  await driver.finish();
});

test('a plugin that is switched off takes its pages and their parts with it', async (browser) => {
  const driver = await PageDriver.customer(browser, server, 'without');
  const console = await PageDriver.entered(browser, server, 'admin', 'root');
  await driver.goto('/home/files');
  await console.goto('/console');
  const tabs = () => driver.text('.tabs');
  assert.match(await tabs(), /Files.*Trash/s);
  assert.match(await console.text('.nav'), /Webhooks/);
  const { config } = server.hostkeep.node;
  await server.hostkeep.reconfigure({ ...config, plugins: { ...config.plugins, trash: false, webhooks: false } });
  const { body } = await server.ask<{ switched_off: string[] }>('/api/session', {
    token: await server.token(await server.hostkeep.core.accounts.get('without')),
  });
  const missing = ['dashboard', 'trash', 'webhooks'].filter((each) => body.switched_off.includes(each));
  assert.equal(missing, ['trash', 'webhooks']);
  for (const each of [driver, console])
    await each.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await until('the tab has gone', async () => !(await tabs()).includes('Trash'));
  await until('the page has gone', async () => !(await console.text('.nav')).includes('Webhooks'));
  assert.match(await console.text('.nav'), /Events/);
  await driver.goto('/home/files/trash');
  await driver.says('The page Trash is switched off');
  await driver.finish();
  await console.finish();
});
