import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { PageDriver } from '../../../support/page-driver.ts';

await needs('files', 'pages');
const test = browserSuite('trash page', 'to remove files in');
const here = join(temporaryFolder(), 'eve');

test('files are removed by button, key and choice, restored, and go for good', async (browser) => {
  mkdirSync(here);
  for (const name of ['a.txt', 'b.txt', 'letter.txt', 'old.txt', 'older.txt']) writeFileSync(join(here, name), 'x');
  const server = await TestServer.start({ config: { files_root: join(here, '../{username}') } });
  const driver = await PageDriver.customer(browser, server, 'eve');
  const { page } = driver;
  await driver.goto('/home/files');
  await driver.press('Move letter.txt to trash');
  await driver.says('letter.txt is in the trash');
  assert.not.ok(existsSync(join(here, 'letter.txt')));
  await page.click('.toast:last-child button');
  await driver.says('letter.txt was restored');
  assert.ok(existsSync(join(here, 'letter.txt')));

  await page.focus('[data-entry]');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Delete');
  await driver.says('b.txt is in the trash');
  await (await page.waitForSelector('[aria-label="Select a.txt"]'))?.click();
  await driver.says('1 selected');
  await driver.press('Move to trash');
  await driver.says('a.txt is in the trash');

  await driver.press('Move old.txt to trash');
  await driver.says('old.txt is in the trash');
  await driver.press('Move older.txt to trash');
  await driver.says('older.txt is in the trash');
  await driver.press('Trash');
  await driver.press('Restore old.txt');
  await driver.says('old.txt was restored');
  assert.ok(existsSync(join(here, 'old.txt')));
  await driver.press('Empty trash');
  await driver.press('Delete for good');
  await driver.says('Removing for good what is in the trash: done, 3 files and folders are gone');
  await driver.says('The trash is empty');
  assert.equal(readdirSync(join(here, '.hostkeep/trash')), []);
  await driver.finish();
});

test('while the trash is off, the files offer no removal', async (browser) => {
  mkdirSync(join(here, '../ida'));
  writeFileSync(join(here, '../ida/note.txt'), 'x');
  const config = { files_root: join(here, '../{username}'), plugins: { trash: false } };
  const server = await TestServer.start({ config });
  const driver = await PageDriver.customer(browser, server, 'ida');
  await driver.goto('/home/files');
  await driver.page.waitForSelector('named/Rename note.txt');
  assert.is(await driver.page.$('named/Move note.txt to trash'), null);
  await driver.finish();
});
