/** A customer exports a database in a browser, and imports dumps. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { ElementHandle } from 'puppeteer-core';
import { judgeAsItStands } from '../../../support/appearance.ts';
import * as assert from '../../../support/assert.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { hasMariaDb, MariaDb } from '../../../support/mariadb.ts';
import { needs } from '../../../support/needs.ts';
import { PageDriver } from '../../../support/page-driver.ts';
import { until } from '../../../support/until.ts';

await needs('databases', 'pages');
const test = browserSuite('mysql, transfers in pages', 'to move dumps in');
let mariaDb: MariaDb;
let server: TestServer;
const folder = temporaryFolder();

if (hasMariaDb()) {
  test.before(async () => {
    mariaDb = await MariaDb.start();
    server = await TestServer.start({ config: { databases: mariaDb.settings } });
  });

  const made = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  /** Opens the dialog, chooses a file and sends it. */
  const send = async (driver: PageDriver, file: string) => {
    await driver.press('Import into ann_shop');
    const input = (await driver.page.waitForSelector('dialog[open] input[type=file]')) as ElementHandle<never>;
    await input.uploadFile(file);
    await driver.page.click('dialog[open] .dialog-end .button.primary');
  };

  test('a database is exported, and dumps are imported', async (browser) => {
    await mariaDb.sql(
      "create database ann_shop; create table ann_shop.t (name text); insert into ann_shop.t values ('ä')",
    );
    const driver = await PageDriver.customer(browser, server, 'ann');
    const { page } = driver;
    const session = await page.createCDPSession();
    await session.send('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
    await driver.goto('/home/databases');
    await driver.press('Export ann_shop');
    await until('it is saved', () => existsSync(join(folder, 'ann_shop.sql.gz')));
    await page.waitForSelector('dialog[open]', { hidden: true });
    assert.match(
      gunzipSync(readFileSync(join(folder, 'ann_shop.sql.gz'))).toString(),
      /INSERT INTO `t` VALUES\n?\s*\('ä'\)/,
    );

    await mariaDb.sql('drop table ann_shop.t');
    await send(driver, join(folder, 'ann_shop.sql.gz'));
    await driver.says('The dump was imported into ann_shop');
    assert.is(await mariaDb.sql('select * from ann_shop.t'), 'ä\n');

    // far more than a connection holds: the reason comes before all was sent
    await send(driver, made('faulty.sql', `select 1;\nselect nothing;\n${'-- a comment\n'.repeat(3_000_000)}`));
    await driver.says('line 2');
    await judgeAsItStands(driver);
    await driver.finish([/status of 422/]);
  });

  test('a statement shows its rows, which can be saved', async (browser) => {
    await mariaDb.sql(`create or replace database ann_shop; create table ann_shop.t (id int, name text);
      insert into ann_shop.t values (1, 'a "b", c'), (2, null)`);
    const driver = await PageDriver.entered(browser, server, 'user', 'ann');
    const { page } = driver;
    const session = await page.createCDPSession();
    await session.send('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
    await driver.goto('/home/databases');
    await driver.press('Query ann_shop');
    await page.type('dialog[open] textarea', 'select nothing from t');
    await page.click('dialog[open] .dialog-end .button.primary');
    await driver.says("Unknown column 'nothing'");
    await page.$eval('dialog[open] textarea', (area) => (area as unknown as { select(): void }).select());
    await page.type('dialog[open] textarea', 'select * from t');
    await page.click('dialog[open] .dialog-end .button.primary');
    await driver.says('2 rows');
    await judgeAsItStands(driver);
    await driver.press('Save as CSV');
    await until('it is saved', () => existsSync(join(folder, 'ann_shop.csv')));
    assert.is(readFileSync(join(folder, 'ann_shop.csv'), 'utf8'), '"id","name"\r\n"1","a ""b"", c"\r\n"2",\r\n');
    await driver.finish([/status of 422/]);
  });

  test('tables are optimized, checked and repaired', async (browser) => {
    await mariaDb.sql('create or replace database ann_shop');
    const driver = await PageDriver.entered(browser, server, 'user', 'ann');
    const { page } = driver;
    const run = () => page.click('dialog[open] .dialog-end .button.primary');
    await driver.goto('/home/databases');
    await driver.press('Maintain ann_shop');
    await run();
    await driver.says('There are no tables yet');
    await mariaDb.sql(`create table ann_shop.t (id int) engine=innodb; create table ann_shop.m (id int) engine=memory;
      create table ann_shop.old (id int) engine=myisam; insert into ann_shop.old values (1); flush tables`);
    rmSync(join(mariaDb.data, 'ann_shop', 'old.MYD'));
    await run();
    await driver.says('3 tables: 1 with an error');
    await driver.says('doing recreate + analyze instead');
    await driver.press('Check');
    await run();
    await driver.says("doesn't support check");
    await judgeAsItStands(driver);
    await mariaDb.sql('drop table ann_shop.old');
    await driver.press('Repair');
    await driver.says('export the database first');
    await run();
    await driver.says('2 tables: No errors');

    const locking = mariaDb.sql('lock tables ann_shop.t write; select sleep(600)').catch(() => undefined);
    await until('it is locked', async () => (await mariaDb.sql('show processlist')).includes('sleep(600)'));
    await run();
    await driver.says('One table after the other');
    await until('it waits', async () => (await mariaDb.sql('show processlist')).includes('-maintenance'));
    await page.keyboard.press('Escape');
    await until('it has ended', async () => !(await mariaDb.sql('show processlist')).includes('-maintenance'));
    await mariaDb.sql(
      "select concat('kill ', id) into @sql from information_schema.processlist where info like 'select sleep(600)'; execute immediate @sql",
    );
    await locking;
    await driver.finish();
  });

  test('an import that is closed ends', async (browser) => {
    await mariaDb.sql('create or replace database ann_shop');
    const driver = await PageDriver.entered(browser, server, 'user', 'ann');
    await driver.goto('/home/databases');
    await send(driver, made('long.sql', 'select sleep(600);\n'));
    await until('it runs', async () => (await mariaDb.sql('show processlist')).includes('sleep(600)'));
    await driver.says('The last statements are running');
    await driver.page.keyboard.press('Escape');
    await until('it has ended', async () => !(await mariaDb.sql('show processlist')).includes('sleep(600)'));
    await driver.finish();
  });
}
