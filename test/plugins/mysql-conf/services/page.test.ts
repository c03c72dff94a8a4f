/** A customer sets what holds for databases and their users, and an administrator what holds for the server, in a browser. */
import * as assert from '../../../support/assert.ts';
import { judgeAsItStands } from '../../../support/appearance.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { hasMariaDb, MariaDb } from '../../../support/mariadb.ts';
import { needs } from '../../../support/needs.ts';
import { PageDriver } from '../../../support/page-driver.ts';

await needs('databases', 'mysql', 'pages');
const test = browserSuite('mysql-conf, pages', 'to set databases in');
let mariaDb: MariaDb;
let server: TestServer;

if (hasMariaDb()) {
  test.before(async () => {
    mariaDb = await MariaDb.start();
    server = await TestServer.start({ config: { databases: mariaDb.settings } });
    await server.hostkeep.core.plans.update('developer', { limits: { db_user_connections_limit: 10 } });
  });

  test('limits of a user and the character set of a database are changed', async (browser) => {
    await mariaDb.sql(
      "create database ann_shop character set utf8mb4; create user ann_app@localhost identified by 'x'",
    );
    const driver = await PageDriver.customer(browser, server, 'ann');
    const { page } = driver;
    await driver.goto('/home/databases');
    await driver.says('Database settings');
    await judgeAsItStands(driver);
    await driver.press('Change the limits of ann_app');
    await driver.says('Your plan allows 10.');
    const fields = await page.$$('dialog[open] .input');
    await fields[0]?.click({ count: 3 });
    await page.keyboard.type('11');
    assert.is(
      await page.$eval(
        'dialog[open] .dialog-end .button:last-child',
        (button) => (button as unknown as { disabled: boolean }).disabled,
      ),
      true,
    );
    await fields[0]?.click({ count: 3 });
    await page.keyboard.type('3');
    await judgeAsItStands(driver);
    await page.keyboard.press('Enter');
    await driver.says('The limits of ann_app were set');
    await driver.says('Connections at a time: 3');
    await driver.press('Change the character set of ann_shop');
    await driver.says('New tables have it');
    await page.waitForSelector('dialog[open] select');
    await page.select('dialog[open] select', 'latin1');
    await judgeAsItStands(driver);
    await page.click('dialog[open] .dialog-end .button:last-child');
    await driver.says('ann_shop has the collation latin1_swedish_ci');
    await page.click('details summary');
    await driver.says('max_allowed_packet');
    await judgeAsItStands(driver);
    assert.match(await mariaDb.sql('show create database ann_shop'), /latin1 COLLATE latin1_swedish_ci/);
    assert.match(await mariaDb.sql('show create user ann_app@localhost'), /MAX_USER_CONNECTIONS 3/);
    await driver.finish();
  });

  test('an administrator changes a variable of the server, and gives it back', async (browser) => {
    await server.account('root', '', 'admin');
    const driver = await PageDriver.entered(browser, server, 'admin', 'root');
    const { page } = driver;
    const confirm = async () =>
      (await page.waitForSelector('dialog[open] .dialog-end .button:last-child'))?.evaluate((button) =>
        (button as unknown as { click(): void }).click(),
      );
    await driver.goto('/console/database-servers');
    await driver.says('max_allowed_packet');
    await judgeAsItStands(driver);
    await page.type('main input[type=search]', 'Allowed'); // the row is then far from the messages, which would lie over it
    await driver.press('Change max_allowed_packet');
    await page.waitForSelector('dialog[open] .input');
    await page.click('dialog[open] .input', { count: 3 });
    await page.keyboard.type('1000');
    await confirm();
    await driver.says('max_allowed_packet is a number from 1048576');
    await judgeAsItStands(driver);
    await page.click('dialog[open] .input', { count: 3 });
    await page.keyboard.type('33554432');
    await confirm();
    await driver.says('max_allowed_packet was set');
    assert.is((await mariaDb.sql('select @@global.max_allowed_packet')).trim(), '33554432');
    await driver.press('Reset max_allowed_packet');
    await driver.says('It gets the value of the server’s files again: 16777216');
    await judgeAsItStands(driver);
    await confirm();
    await driver.says('max_allowed_packet was reset');
    assert.is((await mariaDb.sql('select @@global.max_allowed_packet')).trim(), '16777216');
    await driver.finish([/status of 400/]); // of the value that was too small
  });
}
