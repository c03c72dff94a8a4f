import * as assert from '../../../support/assert.ts';
import { hasCaddy } from '../../../support/caddy.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';
import { Browser, caddy, hasPhpMyAdmin, openHouse, type House } from '../house.ts';

await needs('domains', 'webserver', 'databases', 'mysql');
const test = testSuite('phpmyadmin-caddy');

if (hasPhpMyAdmin() && hasCaddy()) {
  let house: House;
  test.before(async () => void (house = await openHouse(caddy, { needs_https: false })));
  test.after(() => house.close());

  test('Caddy serves a session, and no more of the package than that needs', async () => {
    const ann = await house.customer('ann');
    assert.is((await ann.ask('/api/databases', 'POST', { name: 'shop' })).status, 201);
    await house.mariaDb.sql('create table ann_shop.orders (id int); insert into ann_shop.orders values (4711)');
    const [link, browser] = [await ann.open(), new Browser()];
    assert.is(link.protocol, 'http:');
    const page = await browser.follow(link);
    assert.is(page.status, 200, page.body);
    assert.match(page.body, /ann_shop/);
    const get = (path: string) => browser.get(new URL(path, page.url));
    assert.match((await get('index.php?route=/sql&db=ann_shop&table=orders')).body, /4711/);
    for (const path of ['js/messages.php?l=en', 'themes/pmahomme/css/theme.css', 'js/vendor/jquery/jquery.min.js'])
      assert.is((await get(path)).status, 200, path);
    for (const path of [
      'libraries/vendor_config.php',
      'templates/login/form.twig',
      'sql/create_tables.sql',
      'autoload.php',
    ])
      assert.is((await get(path)).status, 404, path);
    assert.is((await new Browser().get(page.url)).status, 403);
    assert.is((await browser.get(link)).status, 403, 'twice');
    assert.is((await ann.ask('/api/phpmyadmin', 'DELETE')).status, 200);
    assert.ok((await get('index.php')).status >= 400);
  });
}
