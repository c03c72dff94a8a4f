/** The first screen, in a real browser: it has all its texts, and does not load those of the pages that are opened later. */
import * as assert from '../../../support/assert.ts';
import { furtherTexts, mergedTexts } from '../../../../plugins/pages/build/areas.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { PageDriver } from '../../../support/page-driver.ts';

const test = browserSuite('pages: first screen', 'to look at it in');
let server: TestServer;
test.before(async () => {
  server = await TestServer.start();
  await server.account('demo');
  await server.account('operator', '', 'admin');
});

for (const [address, username, path] of [
  ['user', 'demo', '/home'],
  ['admin', 'operator', '/console'],
] as const)
  test(`${path} has all its texts, and no others`, async (browser) => {
    const driver = await PageDriver.entered(browser, server, address, username);
    const scripts: Promise<string>[] = [];
    driver.page.on('response', (response) => {
      if (response.url().endsWith('.js')) scripts.push(response.text());
    });
    await driver.page.setCacheEnabled(false);
    await driver.goto(path);
    const html = await driver.page.content();
    assert.equal(
      Object.keys(mergedTexts('en')).filter((key) => html.includes(key)),
      [],
    );
    const loaded = (await Promise.all(scripts)).join('\n');
    assert.ok(loaded.includes('"pages.overview":'), 'texts were loaded');
    assert.equal(
      Object.keys(furtherTexts('en')).filter((key) => loaded.includes(`"${key}":`)),
      [],
    );
    await driver.finish();
  });
