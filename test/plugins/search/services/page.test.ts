/**
 * Tests what the palette does with a file that the search has found, in a real browser.
 *
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { PageDriver } from '../../../support/page-driver.ts';

const test = browserSuite('search page', 'to find files in');
const roots = temporaryFolder();
let server: TestServer;
test.before(async () => {
  mkdirSync(join(roots, 'finder/blog/wp-content/uploads'), { recursive: true });
  writeFileSync(join(roots, 'finder/blog/wp-content/uploads/holiday.jpg'), 'x');
  server = await TestServer.start({ config: { files_root: join(roots, '{username}') } });
});

async function choose(driver: PageDriver, text: string, title: string): Promise<void> {
  await driver.page.click('.search-button');
  await driver.page.type('.palette .input', text);
  await driver.page.click(`.palette [role=option] ::-p-text(${title})`);
}

const marked = '[aria-current=location]';

test('a file or folder that is chosen is shown at its place, marked', async (browser) => {
  const driver = await PageDriver.customer(browser, server, 'finder');
  await choose(driver, 'holiday', 'holiday.jpg');
  await driver.page.waitForSelector(`${marked} ::-p-text(holiday.jpg)`);
  assert.match(await driver.text('main'), /blog.*wp-content.*uploads.*holiday\.jpg/s);
  await choose(driver, 'wp-content', 'wp-content');
  await driver.page.waitForFunction(`document.querySelector('${marked}').innerText.includes('wp-content')`);
  assert.is((await driver.page.$$(marked)).length, 1);
  await driver.goto('/home/files#folder=/var/www/html/blog/gone');
  await driver.says('/var/www/html/blog/gone is no longer there');
  await driver.finish([/status of 404/]);
});

test('nothing is found that the account has no page for', async (browser) => {
  const { accounts } = server.hostkeep.core;
  await accounts.setFeature('finder', 'filemanager', false);
  const driver = await PageDriver.entered(browser, server, 'user', 'finder');
  const body = { domain_url: 'holiday.example' };
  const token = await server.token(await accounts.get('finder'));
  assert.is((await server.ask('/api/domains/new', { method: 'POST', token, body })).status, 201);
  await driver.goto('/home');
  await driver.page.click('.search-button');
  await driver.page.type('.palette .input', 'holiday');
  await driver.page.waitForSelector('.palette [role=option] ::-p-text(holiday.example)');
  assert.not.match(await driver.text('.palette'), /holiday\.jpg/);
  await driver.finish();
});
