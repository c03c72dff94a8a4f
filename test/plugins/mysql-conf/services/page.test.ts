/** A customer bounds a database user and changes the character set of a database in a browser. */
import type { Browser } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { startChromium } from '../../../support/chromium.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { hasMariaDb, loginTo, MariaDb } from '../../../support/mariadb.ts';
import { needs } from '../../../support/needs.ts';
import { PageDriver } from '../../../support/page-driver.ts';
import { testSuite } from '../../../support/suite.ts';

await needs('databases', 'mysql', 'pages');
const test = testSuite('mysql-conf, pages');
let mariaDb: MariaDb;
let server: TestServer;
let browser: Browser | undefined;

/** Fails for what axe-core finds in both themes, and for what does not fit on a telephone. */
async function judge(driver: PageDriver): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await driver.show(320, theme);
    assert.equal(await driver.violations(theme === 'dark' ? ['color-contrast'] : undefined), [], theme);
    assert.is(await driver.overflows(), false);
  }
  await driver.show(1280, 'light');
}

if (hasMariaDb()) {
  test.before(async () => {
    mariaDb = await MariaDb.start();
    const databases = { servers: { main: loginTo(mariaDb.socket) }, default_server: 'main' };
    server = await TestServer.start({ config: { databases } });
    await server.hostkeep.core.plans.update('developer', { limits: { db_user_connections_limit: 10 } });
    browser = await startChromium('to set databases in');
  });
  test.after(async () => {
    await browser?.close();
    await server.close();
    await mariaDb.remove();
  });

  test('limits of a user and the character set of a database are changed', async () => {
    if (browser === undefined) return;
    await mariaDb.sql(
      "create database ann_shop character set utf8mb4; create user ann_app@localhost identified by 'x'",
    );
    const driver = await PageDriver.customer(browser, server, 'ann');
    const { page } = driver;
    await driver.goto('/home/databases');
    await driver.says('Database settings');
    await judge(driver);
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
    await judge(driver);
    await page.keyboard.press('Enter');
    await driver.says('The limits of ann_app were set');
    await driver.says('Connections at a time: 3');
    await driver.press('Change the character set of ann_shop');
    await driver.says('New tables have it');
    await page.waitForSelector('dialog[open] select');
    await page.select('dialog[open] select', 'latin1');
    await judge(driver);
    await (await page.waitForSelector('dialog[open] .dialog-end .button:last-child'))?.click();
    await driver.says('ann_shop has the collation latin1_swedish_ci');
    await page.click('details summary');
    await driver.says('max_allowed_packet');
    await judge(driver);
    assert.match(await mariaDb.sql('show create database ann_shop'), /latin1 COLLATE latin1_swedish_ci/);
    assert.match(await mariaDb.sql('show create user ann_app@localhost'), /MAX_USER_CONNECTIONS 3/);
    await driver.finish();
  });
}
