import * as assert from '../../../support/assert.ts';
import { siteOwner } from '../../../support/carried.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { PageDriver } from '../../../support/page-driver.ts';
import { webServers } from '../../../support/serving.ts';

await needs('domains', 'webserver', 'pages');
const test = browserSuite('nginx-rules-page', 'to write nginx directives');

for (const [name, start] of webServers().filter(([each]) => each === 'nginx'))
  test(`a customer writes directives for ${name}, and mends the line that it refuses`, async (browser) => {
    const serving = await start();
    const server = await TestServer.start({ config: serving.config });
    try {
      const ask = await siteOwner(server, 'ann');
      const driver = await PageDriver.entered(browser, server, 'user', 'ann');
      const { page } = driver;
      await driver.goto('/home/nginx-rules');
      await driver.press('nginx directives of ann.example');
      const area = 'dialog[open] textarea';
      await page.waitForSelector(area);
      await page.type(area, 'rewrite ^/old/(.*)$ /new/$1 permanent;\nroot /etc;');
      await driver.press('Save');
      await driver.says('root is none of the directives that can be used');
      assert.equal(await driver.violations(), []);
      await driver.press('Line 2');
      await page.keyboard.type('deny 192.0.2.7;'); // the line is selected
      await page.waitForFunction(`document.querySelector('dialog[open] [role=alert]') === null`);
      await driver.press('Save');
      await page.waitForSelector('dialog[open]', { hidden: true });
      await driver.says('2 lines');
      const { sites } = (await ask('GET', '/api/nginx-rules')).body;
      const rules = 'rewrite ^/old/(.*)$ /new/$1 permanent;\ndeny 192.0.2.7;';
      assert.equal(sites, [{ domain_url: 'ann.example', rules }]);
      await driver.finish([/status of 422/]);
    } finally {
      await server.close();
      await serving.remove();
    }
  });
