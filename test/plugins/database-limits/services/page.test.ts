/** A customer whose databases are full reads in the page what to do. */
import * as assert from '../../../support/assert.ts';
import { judgeAsItStands } from '../../../support/appearance.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { hasMariaDb, MariaDb } from '../../../support/mariadb.ts';
import { needs } from '../../../support/needs.ts';
import { PageDriver } from '../../../support/page-driver.ts';
import { until } from '../../../support/until.ts';

await needs('databases', 'mysql', 'pages');
const test = browserSuite('database-limits, pages', 'to read about full databases in');
let mariaDb: MariaDb;
let server: TestServer;

if (hasMariaDb()) {
  test.before(async () => {
    mariaDb = await MariaDb.start(`create database ann_shop; use ann_shop; create table big (t longtext);
      insert into big select repeat('x', 1048576) from seq_1_to_5; create user ann_app@localhost;
      grant all on \`ann\\_shop\`.* to ann_app@localhost`);
    server = await TestServer.start({
      config: { databases: mariaDb.settings, 'database-limits': { look_seconds: 0.2 } },
    });
  });

  const stopped = () => server.hostkeep.core.store.all('select 1 from mysql_stopped where is_done = 1');

  test('full databases say what makes room, until there is some', async (browser) => {
    const { plans } = server.hostkeep.core;
    const { limits } = await plans.get('developer');
    await plans.update('developer', { limits: { ...limits, mysql_limit_mib: 16 } });
    const driver = await PageDriver.customer(browser, server, 'ann');
    await driver.goto('/home/databases');
    await driver.says('of 16');
    await judgeAsItStands(driver);
    await plans.update('developer', { limits: { ...limits, mysql_limit_mib: 4 } });
    await until('it is stopped', async () => (await stopped()).length === 1);
    await driver.goto('/home/databases');
    await driver.says('The space of your plan for databases is used up');
    await judgeAsItStands(driver);
    await mariaDb.sql('truncate table ann_shop.big');
    await until('it goes on', async () => (await stopped()).length === 0);
    await driver.goto('/home/databases');
    await driver.says('of 4');
    const text = await driver.page.evaluate('document.body.innerText');
    assert.not.match(String(text), /is used up/);
    await driver.finish();
  });
}
