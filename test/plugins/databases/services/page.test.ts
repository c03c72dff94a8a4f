/** Tests the page of databases in a real browser. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { browserSuite } from '../../../support/chromium.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { PageDriver } from '../../../support/page-driver.ts';

const test = browserSuite('databases page', 'to see databases in');
let server: TestServer;
test.before(async () => {
  server = await TestServer.start();
});

test('without a server, a database is named as the file that it is', async (browser) => {
  const { filesRoot } = await server.account('ann');
  const folder = join(filesRoot, 'databases');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'shop.sqlite'), 'rows');
  const driver = await PageDriver.entered(browser, server, 'user', 'ann');
  await driver.goto('/home/mysql');
  await driver.says('shop.sqlite');
  await driver.says('SQLite file in your folder databases/');
  await driver.finish();
});
