import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { fakeEngine, json } from '../../../support/fake-engine.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { PageDriver } from '../../../support/page-driver.ts';

await needs('domains', 'webserver-conf', 'containers', 'pages');
const test = browserSuite('proxied-paths-page', 'to look at the paths that containers answer for');

test('a container answers for a path, is seen to have stopped, and is taken away', async (browser) => {
  const socket = join(temporaryFolder(), 'engine.sock');
  let address = '172.18.0.2';
  await fakeEngine(socket, (path, response) =>
    json(
      response,
      path !== '/containers/json'
        ? {}
        : ['shop-api-1', 'shop-web-1'].map((name, i) => ({
            ...{
              Id: String(i).padStart(64, 'a'),
              Names: [`/${name}`],
              Image: 'x',
              Labels: { 'hostkeep.account': 'ann' },
            },
            State: address === '' ? 'exited' : 'running',
            Ports: [{ PrivatePort: 3000 + i, Type: 'tcp' }],
            NetworkSettings: { Networks: { shop_default: { IPAddress: address } } },
          })),
    ),
  );
  const server = await TestServer.start({ config: { containers: { socket }, webserver: { driver: 'none' } } });
  const { token } = await server.user('ann');
  const ask = (path: string, method: string, body?: object) =>
    server.ask(path, { token, method, ...(body && { body }) });
  assert.is((await ask('/api/domains/new', 'POST', { domain_url: 'shop.example' })).status, 201);
  const driver = await PageDriver.entered(browser, server, 'user', 'ann');
  await driver.goto('/home/proxied-paths');
  await driver.press('Containers behind shop.example');
  await driver.replace('dialog[open] input:not([type])', '/api/');
  await driver.choose('dialog[open] select', 'shop-web-1');
  assert.is(
    await driver.page.$eval('dialog[open] input[inputmode=numeric]', (field) => 'value' in field && field.value),
    '3001',
  );
  assert.equal(await driver.violations(), []);
  await driver.press('Let the container answer');
  await driver.says('The container answers for /api of shop.example');
  await driver.says('shop-web-1:3001');
  await driver.says('Served');
  const path = { path: '/api', container: 'shop-web-1', port: 3001, strips_path: true, state: 'served' };
  assert.equal((await ask('/api/proxied-paths', 'GET')).body['sites'], [{ domain_url: 'shop.example', paths: [path] }]);
  assert.equal(await driver.violations(), []);
  address = '';
  await driver.goto('/home/proxied-paths');
  await driver.says('Container stopped');
  await driver.press('Containers behind shop.example');
  await driver.press('Let no container answer for /api');
  await driver.says('No container answers for /api of shop.example any more');
  assert.equal((await ask('/api/proxied-paths', 'GET')).body['sites'], [{ domain_url: 'shop.example', paths: [] }]);
  await driver.finish();
  await server.close();
});
