/** A customer makes a database and its user in a browser, and drops both again. */
import * as assert from '../../../support/assert.ts';
import { judgeAsItStands } from '../../../support/appearance.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { hasMariaDb, MariaDb } from '../../../support/mariadb.ts';
import { needs } from '../../../support/needs.ts';
import { PageDriver } from '../../../support/page-driver.ts';
import { until } from '../../../support/until.ts';

await needs('databases', 'pages');
const test = browserSuite('mysql, pages', 'to manage databases in');
let mariaDb: MariaDb;
let server: TestServer;

if (hasMariaDb()) {
  test.before(async () => {
    mariaDb = await MariaDb.start();
    server = await TestServer.start({ config: { databases: mariaDb.settings } });
  });

  test('a database and its user are made, used, and dropped', async (browser) => {
    const driver = await PageDriver.customer(browser, server, 'ann');
    const { page } = driver;
    const confirm = async () => (await page.waitForSelector('dialog[open] .dialog-end .button:last-child'))?.click();
    await driver.goto('/home/databases');
    await driver.says('No databases yet');
    await judgeAsItStands(driver);
    await driver.press('Create database');
    await page.type('dialog[open] .input', 'Shop');
    await driver.says('Only lower-case letters');
    await page.$eval('dialog[open] .input', (input) => (input as unknown as { select(): void }).select());
    await page.type('dialog[open] .input', 'shop');
    await judgeAsItStands(driver);
    await page.keyboard.press('Enter');
    await driver.says('ann_shop was created');
    await driver.says('Nobody'); // in its row, from which on it can be chosen
    await driver.press('Create user');
    await page.type('dialog[open] .input', 'app');
    await judgeAsItStands(driver);
    await page.keyboard.press('Enter');
    await driver.says('Save the password now');
    await judgeAsItStands(driver);
    const shown = await page.$$eval('dialog[open] code', (codes) => codes.map((code) => String(code.textContent)));
    assert.equal(shown.slice(0, 2), ['localhost', 'ann_app']);
    await mariaDb.query(
      'ann_app',
      shown[2] ?? '',
      `use ann_shop; create table small (id int); create view seen as select * from small;
        create table large (id int, text text); insert into large select seq, repeat('x', 900) from seq_1_to_2000;
        analyze table large`,
    );
    await page.click('dialog[open] input[type=checkbox]');
    await confirm();
    await page.waitForSelector('dialog[open]', { hidden: true });
    await driver.says('All rights');
    await judgeAsItStands(driver);
    const runaway = mariaDb.query('ann_app', shown[2] ?? '', 'select sleep(600)').then(
      () => 'ran',
      () => 'ended',
    );
    await until('it sleeps', async () => (await mariaDb.sql('show processlist')).includes('sleep(600)'));
    await driver.press('Refresh');
    await driver.says('select sleep(600)');
    await judgeAsItStands(driver);
    await page.click('.table button.small.bad:not(.only-icon)');
    await driver.says('The process was ended');
    assert.is(await runaway, 'ended');
    await driver.says('Nothing is running');
    await driver.press('Set rights of ann_app');
    await driver.press('Read only');
    await judgeAsItStands(driver);
    await confirm();
    await driver.says('Read only');
    await driver.press('Take the rights on ann_shop from ann_app');
    await driver.says('No rights');
    await driver.press('New password for ann_app');
    await confirm();
    await page.waitForSelector('dialog[open] input[type=checkbox]');
    await page.click('dialog[open] input[type=checkbox]');
    await confirm();
    await page.waitForSelector('dialog[open]', { hidden: true });
    await driver.press('Drop ann_app');
    await confirm();
    await driver.says('No database users yet');
    await driver.press('Drop ann_shop');
    await page.type('dialog[open] .input', 'ann_shop');
    await page.keyboard.press('Enter');
    await driver.says('No databases yet');
    await driver.press('Tables of ann_shop');
    await driver.says('There are no tables yet.');
    await judgeAsItStands(driver);
    await page.keyboard.press('Escape');
    assert.is(
      (await mariaDb.sql("select schema_name from information_schema.schemata where schema_name like 'ann%'")).trim(),
      '',
    );
    await driver.finish();
  });
}
    await driver.press('Tables of ann_shop');
    await driver.says('3 tables,');
    const rows = () =>
      page.$$eval('dialog[open] tbody tr', (all) =>
        all.map((row) => [...row.querySelectorAll('td')].map((cell) => String(cell.textContent)).slice(0, 3)),
      );
    const [[largest, engine, estimate] = [], ...others] = await rows();
    assert.equal([largest, engine], ['large', 'InnoDB']);
    assert.ok(Number(estimate?.replaceAll(',', '')) > 1000, estimate ?? '');
    assert.equal(others, [
      ['small', 'InnoDB', '0'],
      ['seen', 'View', '–'],
    ]);
    await judgeAsItStands(driver);
    await driver.press('Table');
    assert.equal(
      (await rows()).map(([name]) => name),
      ['large', 'seen', 'small'],
    );
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog[open]', { hidden: true });
