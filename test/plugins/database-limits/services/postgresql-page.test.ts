/** A customer whose databases of PostgreSQL are full, or closed, reads in the page what to do. */
import * as assert from '../../../support/assert.ts';
import { judgeAsItStands } from '../../../support/appearance.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { CustomersServer, makeDatabase } from '../../../support/customers-server.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { PageDriver } from '../../../support/page-driver.ts';
import { until } from '../../../support/until.ts';

await needs('postgresql', 'pages');
const test = browserSuite('database-limits, pages of PostgreSQL', 'to read about full databases in');
let customers: CustomersServer;
let server: TestServer;

test.before(async () => {
  customers = await CustomersServer.start();
  server = await TestServer.start({
    config: { postgresql: customers.settings, 'database-limits': { look_seconds: 0.2 } },
  });
});

test('full databases say what makes room, until there is some', async (browser) => {
  const { plans, store } = server.hostkeep.core;
  const { limits } = await plans.get('developer');
  const setLimit = (mib: number) => plans.update('developer', { limits: { ...limits, postgresql_limit_mib: mib } });
  const isAt = (stage: string) =>
    until(`it is ${stage}`, async () => {
      const [row] = await store.all<{ stage: string }>('select stage from postgresql_stopped');
      return (row?.stage ?? '') === stage;
    });
  const driver = await PageDriver.customer(browser, server, 'ann');
  const token = await server.token(await server.hostkeep.core.accounts.get('ann'));
  await makeDatabase(server, { token }, 'shop');
  const shows = async (text: string) => {
    await driver.goto('/home/postgresql');
    await driver.says(text);
    await judgeAsItStands(driver);
  };
  await setLimit(64);
  await shows('of 64');
  await setLimit(4);
  await isAt('read_only');
  await shows('You can read, and empty what you no longer need');
  await customers.sql(
    `begin read write; create table big (t text); alter table big alter t set storage external;
      insert into big select repeat('x', 1048576) from generate_series(1, 30); commit`,
    'ann_shop',
  );
  await isAt('closed');
  await shows('Your databases went on growing');
  await setLimit(64);
  await isAt('');
  await driver.goto('/home/postgresql');
  await driver.says('of 64');
  assert.not.match(String(await driver.page.evaluate('document.body.innerText')), /is used up/);
  await driver.finish();
});
