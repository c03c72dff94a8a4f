/** A customer sees in a browser that a site cannot log in to its database, and renews the login. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { judgeAsItStands } from '../../../support/appearance.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { hasMariaDb, MariaDb } from '../../../support/mariadb.ts';
import { needs } from '../../../support/needs.ts';
import { PageDriver } from '../../../support/page-driver.ts';

await needs('databases', 'domains', 'mysql', 'pages');
const test = browserSuite('websites, pages', 'to renew the login of a site in');
let mariaDb: MariaDb;
let server: TestServer;

if (hasMariaDb()) {
  test.before(async () => {
    mariaDb = await MariaDb.start();
    server = await TestServer.start({ config: { databases: mariaDb.settings } });
  });

  test('a login that the server refuses is renewed', async (browser) => {
    const driver = await PageDriver.customer(browser, server, 'ann');
    const { page } = driver;
    await server.hostkeep.core.accounts.setFeature('ann', 'screenshots', false);
    const account = await server.hostkeep.core.accounts.get('ann');
    const token = await server.token(account);
    const post = (path: string, body: unknown) => server.ask(path, { token, method: 'POST', body });
    assert.is((await post('/api/domains/new', { domain_url: 'ann.test' })).status, 201);
    await post('/api/databases', { name: 'shop' });
    await post('/api/database-users', { name: 'app' });
    const folder = join(account.filesRoot, 'ann.test');
    const config = join(folder, 'wp-config.php');
    mkdirSync(join(folder, 'wp-includes'), { recursive: true });
    writeFileSync(join(folder, 'wp-includes/version.php'), "<?php $wp_version = '6.5';");
    writeFileSync(
      config,
      "<?php define('DB_NAME', 'ann_shop'); define('DB_USER', 'ann_app'); define('DB_PASSWORD', 'forgotten');",
    );
    await driver.goto('/home/sites');
    await driver.press('Database login of ann.test');
    await driver.says('The server refuses the login');
    await judgeAsItStands(driver);
    await page.click('dialog[open] [type=submit]');
    await driver.says('ann.test now logs in as ann_app');
    const [, password = ''] = /'DB_PASSWORD', '([^']+)'/.exec(readFileSync(config, 'utf8')) ?? [];
    await mariaDb.query('ann_app', password, 'create table ann_shop.t (id int)');
    await driver.press('Database login of ann.test');
    await driver.says('The login works');
    await page.keyboard.press('Escape');
    writeFileSync(config, "<?php define('DB_NAME', 'bob_shop'); define('DB_USER', 'ann_app');");
    await driver.press('Database login of ann.test');
    await driver.says('which is not yours');
    assert.is(await page.$eval('dialog[open] [type=submit]', (button) => button.matches(':disabled')), true);
    await driver.finish([/status of 409/]);
  });
}
