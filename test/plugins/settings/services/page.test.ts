/** Tests how an administrator changes a setting and gives it back, in a real browser. */
import * as assert from '../../../support/assert.ts';
import { reauthenticate } from '../../../support/account-client.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { PASSWORD, TestServer } from '../../../support/hostkeep.ts';
import { PageDriver } from '../../../support/page-driver.ts';
import { until } from '../../../support/until.ts';

const test = browserSuite('settings page', 'to change settings in');
const PATH = '/console/settings';

async function open(editable: readonly string[]): Promise<TestServer> {
  const server = await TestServer.start({ config: { settings: { editable } } });
  await server.account('root', '', 'admin');
  return server;
}

test('without leave of the configuration nothing can be changed', async (browser) => {
  const server = await open([]);
  const driver = await PageDriver.entered(browser, server, 'admin', 'root');
  await driver.goto(PATH);
  await driver.says('admin_hosts');
  await driver.press('Editable');
  await driver.says('settings.editable');
  assert.not.match(await driver.text('main'), /\bEdit\b/);
  await driver.finish();
  await server.close();
});

test('a setting is found, refused, changed, and reset', async (browser) => {
  const server = await open(['token.*', 'events.*', 'cors_origins']);
  const driver = await PageDriver.entered(browser, server, 'admin', 'root');
  const ttl = () => server.hostkeep.core.sessions.ttlSeconds;
  const press = async (name: string) => {
    await driver.press(name);
    await driver.page.waitForSelector('dialog[open]');
  };
  const submit = () => driver.page.click('dialog[open] button[type=submit]');
  const closed = () => until('the dialog is closed', async () => (await driver.page.$('dialog[open]')) === null);
  const type = async (text: string) => {
    await driver.page.click('dialog[open] input', { count: 3 });
    await driver.page.type('dialog[open] input', text);
  };
  await driver.goto(PATH);
  await driver.press('Editable');
  await driver.page.type('main input[type=search]', 'ttl');
  await press('Edit token.ttl_seconds');
  await driver.says('60 to 2,592,000');
  await type('59');
  await submit();
  await driver.page.waitForSelector('dialog[open] input[type=password]');
  await driver.page.type('dialog[open] input[type=password]', PASSWORD);
  await driver.page.keyboard.press('Enter');
  await driver.page.waitForSelector('dialog[open] .panel.bad ::-p-text(at least 60)');
  assert.is(ttl(), 3600);
  await type('7200');
  await submit();
  await driver.says('token.ttl_seconds was changed');
  await closed();
  assert.is(ttl(), 7200);
  await driver.page.waitForSelector('main .badge ::-p-text(Console)');

  await press('Edit token.ttl_seconds');
  const other = await server.admin('other');
  await reauthenticate(server, other.token);
  const path = '/api/settings/token.ttl_seconds';
  const given = { token: other.token, address: 'admin', method: 'PUT', body: { value: 300 } } as const;
  assert.is((await server.ask(path, given)).status, 200);
  await type('600');
  await submit();
  await driver.page.waitForSelector('dialog[open] .panel.bad ::-p-text(other has changed)');
  assert.is(ttl(), 300);
  await driver.page.keyboard.press('Escape');
  await closed();
  await press('Reset token.ttl_seconds');
  await submit();
  await driver.says('token.ttl_seconds was reset');
  await closed();
  assert.is(ttl(), 3600);
  await driver.finish([/status of 4(00|03|12)/]);
  await server.close();
});
