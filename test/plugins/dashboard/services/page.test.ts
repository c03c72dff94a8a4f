/** Tests the dashboard's part of the overview in a real browser. */
import * as assert from '../../../support/assert.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { PageDriver } from '../../../support/page-driver.ts';

const test = browserSuite('dashboard page', 'to see the overview in');
let server: TestServer;
test.before(async () => {
  server = await TestServer.start();
});

test('the overview says when figures are not those of now', async (browser) => {
  const driver = await PageDriver.customer(browser, server, 'ann');
  const { body } = await server.ask('/api/dashboard', { token: (await server.user('bob')).token });
  let stale: string[] = [];
  await driver.page.setRequestInterception(true);
  driver.page.on('request', (request) => {
    if (!request.url().endsWith('/api/dashboard')) return void request.continue();
    return void request.respond({ contentType: 'application/json', body: JSON.stringify({ ...body, stale }) });
  });
  await driver.page.reload();
  await driver.page.waitForSelector('.meters');
  assert.not.match(await driver.text('main'), /known last/);
  stale = ['databases'];
  await driver.page.reload();
  await driver.says('what you see is what was known last');
  await driver.finish();
});
