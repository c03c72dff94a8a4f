/** A customer downloads a database from a backup in a browser, and restores it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgeAsItStands } from '../../../support/appearance.ts';
import * as assert from '../../../support/assert.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { hasMariaDb, MariaDb } from '../../../support/mariadb.ts';
import { needs } from '../../../support/needs.ts';
import { PageDriver } from '../../../support/page-driver.ts';
import { until } from '../../../support/until.ts';
import { BackupClient, hasRestic, SETTINGS } from '../backup-client.ts';

await needs('databases', 'mysql', 'pages');
const test = browserSuite('backups of databases in pages', 'to restore databases in');
const folder = temporaryFolder();
let mariaDb: MariaDb;
let server: TestServer;

if (hasRestic && hasMariaDb()) {
  test.before(async () => {
    mariaDb = await MariaDb.start();
    server = await TestServer.start({ config: { ...SETTINGS, databases: mariaDb.settings } });
  });

  test('the databases of a backup are shown, downloaded and restored', async (browser) => {
    const ann = await BackupClient.make(server, 'anna');
    await mariaDb.sql(`create database anna_shop; use anna_shop; create table t (name text); insert into t values ('ä');
      create database anna_bad; use anna_bad; create table t (id int); create view v as select * from t; drop table t`);
    const id = await ann.made();
    const driver = await PageDriver.entered(browser, server, 'user', 'anna');
    const session = await driver.page.createCDPSession();
    await session.send('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
    await driver.goto(`/home/backups#backup=${id}`);
    await driver.says('Not in this backup: ');
    await driver.press('Download anna_shop');
    await until('it is saved', () => existsSync(join(folder, 'anna_shop.sql')));
    assert.match(readFileSync(join(folder, 'anna_shop.sql'), 'utf8'), /INSERT INTO `t` VALUES\n?\s*\('ä'\)/);
    await judgeAsItStands(driver);
    const restore = async () => {
      // not with the mouse: what has ended moves the button, and what the page says may be over it
      const button = await driver.page.waitForSelector('named/Restore anna_shop');
      await button?.evaluate((each) => (each as unknown as { click(): void }).click());
      await driver.page.click('dialog[open] .dialog-end .button.danger');
      await driver.page.waitForSelector('dialog[open]', { hidden: true });
    };
    await mariaDb.sql('drop database anna_shop');
    await restore();
    await driver.says('The database is not there any more');
    await mariaDb.sql('create database anna_shop');
    await restore();
    await driver.says('Restoring anna_shop');
    await until('it is restored', async () => {
      const sql = "select count(*) from information_schema.tables where table_schema = 'anna_shop'";
      return (await mariaDb.sql(sql)) === '1\n';
    });
    await driver.finish();
  });
}
