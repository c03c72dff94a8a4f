import * as assert from '../../../support/assert.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { PageDriver } from '../../../support/page-driver.ts';

const test = browserSuite('domains page', 'to suspend domains in');
let server: TestServer;
test.before(async () => {
  server = await TestServer.start();
});

test('an operator is asked before a domain is suspended, and lifts it at once', async (browser) => {
  const ann = await server.user('ann', 'basic');
  await server.account('root', '', 'admin');
  const add = { method: 'POST', token: ann.token, body: { domain_url: 'shop.example' } };
  assert.is((await server.ask('/api/domains/new', add)).status, 201);
  const isHeld = async () => {
    const { body } = await server.ask<{ domains: { suspended_by_operator: boolean }[] }>('/api/domains', {
      token: ann.token,
    });
    return body.domains[0]?.suspended_by_operator;
  };
  const driver = await PageDriver.entered(browser, server, 'admin', 'root');
  await driver.goto('/console/accounts/ann');
  const suspend = 'named/Suspend shop.example';
  await driver.page.waitForSelector(suspend).then((button) => button?.click());
  await driver.says('Visitors of shop.example see a page');
  await driver.page.keyboard.press('Escape');
  await driver.page.waitForSelector('dialog', { hidden: true });
  assert.is(await isHeld(), false);
  await driver.page.click(suspend);
  await driver.says('Visitors of shop.example see a page');
  await driver.page.click('dialog[open] .button.danger');
  const lift = await driver.page.waitForSelector('named/Lift suspension shop.example');
  assert.is(await isHeld(), true);
  await lift?.click();
  await driver.page.waitForSelector(suspend);
  assert.is(await isHeld(), false);
  await driver.finish();
});

test('an operator adds a domain to an account and removes it, and sees why not', async (browser) => {
  const eve = await server.user('eve', 'basic');
  const driver = await PageDriver.entered(browser, server, 'admin', 'root');
  await driver.goto('/console/accounts/eve');
  const add = async (name: string) => {
    await driver.press('Add domain');
    await driver.page.type('dialog[open] .input', name);
    await driver.page.keyboard.press('Enter');
  };
  await add('shop.example');
  await driver.says('this name, a parent domain or a subdomain is in use');
  await driver.page.keyboard.press('Escape');
  await driver.page.waitForSelector('dialog', { hidden: true });
  await add('eves.example');
  await driver.says('eves.example was added');
  await driver.page.waitForSelector('named/Remove eves.example').then((button) => button?.click());
  await driver.page.type('dialog[open] .input', 'eves.example');
  await driver.page.click('dialog[open] .button.danger');
  await driver.says('eves.example was removed');
  await driver.says('This account has no domains.');
  assert.is((await eve.asks('GET /api/domains', 200))['total'], 0);
  await driver.finish([/409/]);
});

test('an alias that another window removed counts as removed', async (browser) => {
  const bob = await server.user('bob', 'basic');
  await bob.asks('POST /api/domains/new', { domain_url: 'bobs.example' }, 201);
  await bob.asks('POST /api/aliases', { domain_url: 'bobs.example', alias: 'www.bobs.example' }, 201);
  const driver = await PageDriver.entered(browser, server, 'user', 'bob');
  await driver.goto('/home/domains');
  await driver.page.click('named/Aliases of bobs.example');
  const remove = 'named/Remove www.bobs.example';
  await driver.page.waitForSelector(remove);
  await bob.asks('DELETE /api/aliases/www.bobs.example', 200);
  await driver.page.click(remove);
  await driver.says('www.bobs.example was removed');
  await driver.page.waitForSelector(remove, { hidden: true });
  await driver.finish([/404/]);
});
