import type { Page } from 'puppeteer-core';
import * as assert from '../../../support/assert.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { needs } from '../../../support/needs.ts';
import { PageDriver } from '../../../support/page-driver.ts';
import { hasPhpMyAdmin, openHouse, type House } from '../house.ts';

await needs('domains', 'webserver', 'databases', 'mysql', 'certificates', 'pages');
const test = browserSuite('phpmyadmin-page', 'to press the button that opens phpMyAdmin', { named: true });

if (hasPhpMyAdmin()) {
  let house: House;
  test.before(async () => void (house = await openHouse()));
  test.after(() => house.close());

  test('a customer opens phpMyAdmin by a button, looks at rows, and ends the session', async (browser) => {
    const ann = await house.customer('ann');
    assert.is((await ann.ask('/api/databases', 'POST', { name: 'shop' })).status, 201);
    await house.mariaDb.sql(
      `create table ann_shop.orders (id int, what text); insert into ann_shop.orders values (4711, 'a lamp')`,
    );
    const driver = await PageDriver.entered(browser, house.server, 'user', 'ann');
    await driver.goto('/home/phpmyadmin');
    assert.equal(await driver.violations(), []);
    const opened = new Promise<Page>((resolve) => driver.page.once('popup', (tab) => resolve(tab as Page)));
    await driver.press('Open phpMyAdmin');
    const tab = await opened;
    await tab.waitForFunction(`document.body?.innerText.includes('ann_shop')`);
    assert.match(tab.url(), /^https:\/\/ann\.example:\d+\/phpmyadmin-[a-z0-9]{20}\//);
    assert.is(await tab.evaluate('window.opener'), null);
    await tab.goto(new URL('index.php?route=/sql&db=ann_shop&table=orders', tab.url()).href);
    await tab.waitForFunction(`document.body?.innerText.includes('a lamp')`);
    await driver.says('phpMyAdmin is open at ann.example');
    assert.equal(await driver.violations(), []);
    await driver.press('End the session');
    await driver.says('The session of phpMyAdmin was ended');
    const after = await tab.goto(new URL('index.php', tab.url()).href);
    assert.ok((after?.status() ?? 0) >= 400);
    await driver.finish([]);
  });
}
