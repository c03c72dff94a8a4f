/** A customer makes a database of PostgreSQL and its user in a browser, and drops both again. */
import { judgeAsItStands } from '../../../support/appearance.ts';
import * as assert from '../../../support/assert.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { PageDriver } from '../../../support/page-driver.ts';
import { CustomersServer } from '../../../support/customers-server.ts';

await needs('pages');
const test = browserSuite('postgresql, pages', 'to manage databases in');
let customers: CustomersServer;
let server: TestServer;

test.before(async () => {
  customers = await CustomersServer.start();
  server = await TestServer.start({ config: { postgresql: customers.settings } });
});

test('a database and its user are made, used, and dropped', async (browser) => {
  const driver = await PageDriver.customer(browser, server, 'ann');
  const { page } = driver;
  const confirm = async () => page.click('dialog[open] .dialog-end .button:last-child');
  const gone = () => page.waitForSelector('dialog[open]', { hidden: true });
  await driver.goto('/home/postgresql');
  await driver.says('No databases yet');
  await driver.press('Create database');
  await page.type('dialog[open] .input', 'shop');
  await page.keyboard.press('Enter');
  await driver.says('ann_shop was created');
  await driver.says('Nobody'); // in its row, from which on it can be chosen
  await driver.press('Create user');
  await driver.says('Your hosting provider sets from which machines');
  assert.is(await page.$eval('dialog[open] select', (list) => (list as unknown as { value: string }).value), '');
  await driver.choose('dialog[open] select', 'ann_shop');
  await page.type('dialog[open] .input', 'app');
  await page.keyboard.press('Enter');
  await driver.says('Save the password now');
  const shown = await page.$$eval('dialog[open] code', (codes) => codes.map((code) => String(code.textContent)));
  assert.equal(shown.slice(0, 2), [customers.folder, 'ann_app']);
  const app = { name: 'ann_app', password: shown[2] ?? '' };
  await customers.as(
    app,
    "create table t (id int, name text); insert into t values (7, 'ä'); create schema s; create view s.v as select 1 as one; analyze t",
    'ann_shop',
  );
  await page.click('dialog[open] input[type=checkbox]');
  await confirm();
  await gone();
  await driver.says('All rights');
  await judgeAsItStands(driver);
  await driver.press('Tables of ann_shop');
  await driver.says('2 tables,');
  const tables = await page.$$eval('dialog[open] tbody tr', (all) =>
    all.map((row) => [...row.querySelectorAll('td')].map((cell) => String(cell.textContent)).slice(0, 3)),
  );
  assert.equal(tables, [
    ['t', 'Table', '1'],
    ['s.v', 'View', '–'],
  ]);
  await page.keyboard.press('Escape');
  await gone();
  await driver.press('Query ann_shop');
  await page.type('dialog[open] textarea', 'select * from t');
  await confirm();
  await driver.says('1 row in');
  await page.keyboard.press('Escape');
  await gone();
  await driver.press('Maintain ann_shop');
  await confirm();
  await driver.says('1 table: No errors');
  await page.keyboard.press('Escape');
  await gone();
  await driver.press('Set rights of ann_app');
  await driver.press('Read only');
  await confirm();
  await gone();
  await driver.says('Read only');
  await driver.press('Take the rights on ann_shop from ann_app');
  await driver.says('No rights');
  await driver.press('Drop ann_app');
  await confirm();
  await driver.says('No database users yet');
  await driver.press('Drop ann_shop');
  await page.type('dialog[open] .input', 'ann_shop');
  await page.keyboard.press('Enter');
  await driver.says('No databases yet');
  assert.is(await customers.sql("select datname from pg_database where datname like 'ann%'"), '');
  await driver.finish();
});
