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

  test('users connect from elsewhere where the plan has it', async (browser) => {
    const basic = await PageDriver.customer(browser, server, 'bob', 'basic');
    await basic.goto('/home/databases');
    await basic.press('Create user');
    await basic.says('Access from other machines (Remote MySQL) is not part of your plan');
    await basic.finish();
    const driver = await PageDriver.customer(browser, server, 'eve');
    await server.hostkeep.core.accounts.setFeature('eve', 'remote_mysql', true);
    const { page } = driver;
    await driver.goto('/home/databases');
    const create = async (press: string, address?: string) => {
      await driver.press('Create user');
      await page.type('dialog[open] .input', 'app');
      await driver.press(press);
      if (address === undefined) return;
      await page.type('dialog[open] .field:last-of-type .input', '192.0.2.256');
      await driver.says('Neither an IP address');
      assert.is(await page.$eval('dialog[open] [type=submit]', (button) => button.matches(':disabled')), true);
      await driver.replace('dialog[open] .field:last-of-type .input', address);
    };
    const save = async () => {
      await page.click('dialog[open] [type=submit]');
      await driver.says('port 3306 unless');
      const shown = await page.$$eval('dialog[open] code', (codes) => codes.map((code) => String(code.textContent)));
      assert.equal(shown.slice(0, -1), ['eve_app'], 'a host that means nothing elsewhere is left out');
      await page.click('dialog[open] input[type=checkbox]');
      await page.click('dialog[open] [type=submit]');
      await page.waitForSelector('dialog[open]', { hidden: true });
    };
    await create('One address or range', '192.0.2.%');
    await judgeAsItStands(driver);
    await save();
    await driver.says('from 192.0.2.%');
    await create('Anywhere');
    await driver.says('Everybody on the Internet');
    await save();
    await driver.says('from anywhere');
    assert.is(await mariaDb.sql("select host from mysql.user where user = 'eve_app' order by host"), '%\n192.0.2.%\n');
    await driver.press('Drop eve_app@192.0.2.%');
    await page.click('dialog[open] [type=submit]');
    await page.waitForSelector('dialog[open]', { hidden: true });
    await driver.says('eve_app@192.0.2.% was dropped');
    assert.is(await mariaDb.sql("select host from mysql.user where user = 'eve_app'"), '%\n');
    await driver.finish();
  });

  test('a database and its user are made, used, and dropped', async (browser) => {
    const driver = await PageDriver.customer(browser, server, 'ann');
    const { page } = driver;
    const confirm = async () => page.click('dialog[open] .dialog-end .button:last-child');
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
    await driver.press('Tables of ann_shop');
    await driver.says('There are no tables yet.');
    await judgeAsItStands(driver);
    await page.keyboard.press('Escape');
    await driver.press('Create user');
    await driver.choose('dialog[open] select', 'ann_shop');
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
    await driver.press('Copy ann_shop');
    await driver.press('Copy ann_app');
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
    const runaway = mariaDb
      .query('ann_app', shown[2] ?? '', `select sleep(600), '${'a long statement '.repeat(20)}'`)
      .then(
        () => 'ran',
        () => 'ended',
      );
    await until('it sleeps', async () => (await mariaDb.sql('show processlist')).includes('sleep(600)'));
    await driver.press('Refresh');
    await driver.says('select sleep(600)');
    const lines = await page.$$eval('td code.name', (names) => names.map((each) => each.getClientRects().length));
    assert.equal(lines, [1], 'the name of the user is in one piece');
    await judgeAsItStands(driver);
    await page.waitForSelector('.toast', { hidden: true }); // one of before would be in the way of the button
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
    assert.is(
      (await mariaDb.sql("select schema_name from information_schema.schemata where schema_name like 'ann%'")).trim(),
      '',
    );
    await driver.finish();
  });
}
