import * as assert from '../../../support/assert.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx } from '../../../support/nginx.ts';
import { PageDriver } from '../../../support/page-driver.ts';
import { customer, hasVarnish, openHouse } from '../house.ts';

await needs('domains', 'webserver', 'services', 'php', 'pages');
const test = browserSuite('varnish-page', 'to look at the page of Varnish');

if (hasVarnish() && hasNginx())
  test('a customer puts Varnish before a site, and takes it away', async (browser) => {
    const { nginx, open } = await openHouse();
    const server = await open();
    try {
      const ann = await customer(server, nginx, 'ann');
      const driver = await PageDriver.entered(browser, server, 'user', 'ann');
      await driver.goto('/home/varnish');
      await driver.says('Varnish is off, and sites are served without it.');
      await driver.press('Keep pages of ann.example');
      await driver.says('Kept once Varnish is on');
      assert.equal(await driver.violations(), []);
      await driver.press('Switch it on among the services');
      await driver.press('Switch Varnish on');
      await driver.says('curl --unix-socket');
      await driver.says('Hits');
      assert.equal(await driver.violations(), []);
      await driver.goto('/home/varnish');
      await driver.says('Kept by Varnish');
      assert.equal(await driver.violations(), []);
      assert.equal((await ann.ask('GET', '/api/site-cache'))['sites'], [{ domain_url: ann.domain, cached: true }]);
      await driver.press('Keep no pages of ann.example');
      await driver.says('Made for each visitor');
      assert.equal((await ann.ask('GET', '/api/site-cache'))['sites'], [{ domain_url: ann.domain, cached: false }]);
      await driver.finish();
    } finally {
      await server.close();
      await nginx.remove();
    }
  });
