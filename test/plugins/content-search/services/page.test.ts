/** A customer searches for a text in a browser, and opens the file that has it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgeAsItStands } from '../../../support/appearance.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { PageDriver } from '../../../support/page-driver.ts';

await needs('pages', 'files');
const test = browserSuite('content search in pages', 'to search in');
let server: TestServer;
test.before(async () => {
  server = await TestServer.start();
});

test('a text is found with its line, and the file opens', async (browser) => {
  const { filesRoot } = await server.account('anna');
  mkdirSync(join(filesRoot, 'site'), { recursive: true });
  writeFileSync(join(filesRoot, 'site/config.php'), '<?php\n$password = "<b>secret</b>";\n');
  writeFileSync(join(filesRoot, 'site/index.html'), 'nothing');
  const driver = await PageDriver.entered(browser, server, 'user', 'anna');
  await driver.goto('/home/files');
  await driver.press('Search in files');
  await driver.page.waitForSelector('form[role="search"] input');
  await driver.page.type('form[role="search"] input', 'PASSWORD = "<b>');
  await driver.page.keyboard.press('Enter');
  await driver.says('2 files searched');
  await driver.says('password = "<b>secret</b>"');
  await judgeAsItStands(driver);
  await driver.press('/var/www/html/site/config.php');
  await driver.says('config.php');
  await driver.goto('/home/files/search#text=nowhere');
  await driver.says('No file has this text');
});
