import * as assert from '../../../support/assert.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { PageDriver } from '../../../support/page-driver.ts';
import rows from '../rows.ts';

await needs('pages');
const test = browserSuite('resources-page', 'to look at what an account takes');

test('the overview shows what an account takes, where the server counts it', async (browser) => {
  const server = await TestServer.start();
  await server.user('ann', 'developer');
  const driver = await PageDriver.entered(browser, server, 'user', 'ann');
  await driver.goto('/home');
  assert.not.match(await driver.text('main'), /Memory and processors/);
  // of a kernel that counts
  const figures = { ...(rows.examples?.invented?.['show'] as object), is_kept: false };
  driver.page.on('request', (request) => {
    if (new URL(request.url()).pathname !== '/api/resources') return void request.continue();
    void request.respond({ status: 200, contentType: 'application/json', body: JSON.stringify(figures) });
  });
  await driver.page.setRequestInterception(true);
  for (const [width, theme] of [
    [1280, 'light'],
    [320, 'dark'],
  ] as const) {
    await driver.show(width, theme);
    await driver.goto('/home');
    await driver.says('Memory and processors');
    await driver.says('Processes and threads');
    await driver.says('does not keep all of the limits');
    assert.equal(await driver.violations(), []);
  }
  for (const figure of ['179 MiB of 8 GiB', '0.12 of 4', '38 of 500', '1.2 MiB of 100 MiB', '40 KiB'])
    await driver.says(figure);
  await driver.finish();
});
