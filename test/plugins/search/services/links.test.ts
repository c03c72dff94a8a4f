/** Opens, in a real browser, each page to which a hit among the features and a favorite of the demo lead. */
import * as assert from '../../../support/assert.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { addDemoContent } from '../../../support/demo-content.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { PageDriver } from '../../../support/page-driver.ts';

const test = browserSuite('search: links', 'to open links in');
let server: TestServer;
test.before(async () => {
  server = await TestServer.start();
});

const linksOf = async (path: string, token: string): Promise<string[]> => {
  const { body } = await server.ask<{ link: string }[]>(path, { token });
  return body.map(({ link }) => link).filter((link) => link.startsWith('/'));
};

async function assertOpens(driver: PageDriver, links: readonly string[]): Promise<void> {
  assert.ok(links.length > 0);
  for (const link of new Set(links)) {
    await driver.goto(link);
    assert.is.not(await driver.page.$('main[data-page]'), null, link);
  }
}

for (const plan of ['basic', 'standard', 'developer'])
  test(`every feature that an account of the plan ${plan} finds has a page that opens`, async (browser) => {
    const driver = await PageDriver.customer(browser, server, `of-${plan}`, plan);
    const token = await server.token(await server.hostkeep.core.accounts.get(`of-${plan}`));
    await assertOpens(driver, await linksOf('/api/search/features', token));
    await driver.close();
  });

test('every favorite of the demo leads to a page that opens', async (browser) => {
  const { account: demo, token } = await server.user('demo');
  const people = {
    demo,
    other: await server.account('other'),
    operator: await server.account('operator', '', 'admin'),
  };
  await addDemoContent(server, people);
  const driver = await PageDriver.entered(browser, server, 'user', 'demo');
  await assertOpens(driver, await linksOf('/api/favorites', token));
  await driver.close();
});
