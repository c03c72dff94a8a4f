/** The language of the pages in a real browser: before the login that of the browser, and then that of the account. */
import * as assert from '../support/assert.ts';
import { browserSuite } from '../support/chromium.ts';
import { TestServer } from '../support/hostkeep.ts';
import { PageDriver } from '../support/page-driver.ts';
import { until } from '../support/until.ts';

const test = browserSuite('pages in languages', 'to read the pages in');
let server: TestServer;
test.before(async () => {
  server = await TestServer.start();
});

test('the language that somebody chooses at the login becomes that of the account', async (browser) => {
  await server.account('chooser', 'developer');
  const driver = await PageDriver.open(browser, server);
  await driver.goto('/');
  await driver.choose('main select', 'de');
  await driver.says('Anmelden');
  await driver.logIn('chooser');
  await driver.says('Übersicht');
  const { accounts } = server.hostkeep.core;
  await until('the server writes it, too', async () => (await accounts.get('chooser')).locale === 'de');
  await driver.finish();
});

test('each who shares a browser reads the own language, and looks on in it', async (browser) => {
  const { accounts } = server.hostkeep.core;
  for (const name of ['first', 'second']) await server.account(name, 'developer');
  await accounts.setFeature('second', 'locale', false);
  const driver = await PageDriver.open(browser, server);
  const enter = async (name: string, text: string) => {
    await driver.goto('/');
    await driver.logIn(name);
    await driver.says(text);
  };
  const choose = async (name: string, text: string) => {
    await driver.page.click('.menu > button');
    await driver.press(name);
    await driver.says(text);
  };
  await enter('first', 'Overview');
  await choose('Deutsch', 'Übersicht');
  await until('the account has it', async () => (await accounts.get('first')).locale === 'de');
  await driver.press('Abmelden');
  await driver.says('Anmelden');
  await enter('second', 'Overview');
  await choose('Français', "Vue d'ensemble");
  await driver.page.reload();
  await driver.says("Vue d'ensemble");
  assert.is((await accounts.get('second')).locale, 'en', 'without the feature only the browser keeps it');
  await driver.page.click('.menu > button');
  await driver.press('Se déconnecter');
  await driver.says('Se connecter');
  await enter('first', 'Übersicht');
  await accounts.setFeature('second', 'locale', true);
  await driver.page.click('.menu > button');
  await driver.press('Abmelden');
  await driver.says('Se connecter');
  await enter('second', 'Overview');
  await driver.finish();
});
