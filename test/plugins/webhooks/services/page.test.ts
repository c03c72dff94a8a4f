/** Tests how an administrator adds, changes and removes a webhook, in a real browser. */
import * as assert from '../../../support/assert.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { PageDriver } from '../../../support/page-driver.ts';
import { WebhookSink } from '../../../support/webhook-sink.ts';
import { until } from '../../../support/until.ts';

const test = browserSuite('webhooks page', 'to add webhooks in');
const PATH = '/console/webhooks';

async function open(webhooks: object): Promise<TestServer> {
  const server = await TestServer.start({ config: { webhooks } });
  await server.account('root', '', 'admin');
  return server;
}

test('without leave of the configuration nothing can be added', async (browser) => {
  const server = await open({});
  const driver = await PageDriver.entered(browser, server, 'admin', 'root');
  await driver.goto(PATH);
  await driver.says('webhooks.allow_console');
  assert.not.match(await driver.text('main'), /Add webhook/);
  await driver.finish();
  await server.close();
});

test('a webhook is added, gets events, is changed, and is removed', async (browser) => {
  const sink = await WebhookSink.open();
  const server = await open({ allow_console: true, allow_private: true });
  const driver = await PageDriver.entered(browser, server, 'admin', 'root');
  const press = async (name: string) => {
    await driver.press(name);
    await driver.page.waitForSelector('dialog[open]');
  };
  const submit = () => driver.page.click('dialog[open] button[type=submit]');
  const closed = () => until('the dialog is closed', async () => (await driver.page.$('dialog[open]')) === null);
  await driver.goto(PATH);
  await press('Add webhook');
  await driver.page.type('dialog[open] input', 'hooks.example');
  await driver.page.waitForSelector('dialog[open] .fault ::-p-text(Begin it with https://)');
  await driver.page.click('dialog[open] input', { count: 3 });
  await driver.page.type('dialog[open] input', 'http://user:secret@127.0.0.1/');
  await submit();
  await driver.page.waitForSelector('dialog[open] .panel.bad ::-p-text(must not contain a password)');
  await driver.page.click('dialog[open] input', { count: 3 });
  await driver.page.type('dialog[open] input', `http://${sink.host}/token-of-a-chat`);
  await submit();
  const code = await driver.page.waitForSelector('dialog[open] code');
  const secret = String(await code?.evaluate((each) => each.textContent));
  assert.match(secret, /^whsec_[\w+/=]{44}$/);
  await driver.page.click('dialog[open] input[type=checkbox]');
  await submit();
  await closed();
  await server.account('ann');
  await until('the event arrives', () => [...sink.events.values()].some(({ type }) => type === 'account.created'));
  const name = `${sink.host}#c1`;
  await press(`Edit ${name}`);
  assert.not.match(await driver.page.content(), /token-of-a-chat/, 'the URL is never shown again');
  const events = 'dialog[open] .field:nth-of-type(2) input';
  await driver.page.click(events, { count: 3 });
  await driver.page.type(events, 'domain.*, plan.*');
  await submit();
  await driver.says(`${name} was changed`);
  await closed();
  await driver.page.waitForSelector('main .badge ::-p-text(plan.*)');
  await press(`New secret for ${name}`);
  await submit();
  await driver.page.waitForSelector('dialog[open] code');
  await driver.page.click('dialog[open] input[type=checkbox]');
  await submit();
  await closed();
  await press(`End the former secret of ${name}`);
  await submit();
  await closed();
  await press(`Remove ${name}`);
  await submit();
  await driver.says(`${name} was removed`);
  await driver.says('Add an endpoint');
  await driver.finish([/status of 400/]);
  await server.close();
});
