import * as assert from '../../../support/assert.ts';
import { addRequests } from '../../../../plugins/slow-requests/store.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { PageDriver } from '../../../support/page-driver.ts';

await needs('domains', 'logs', 'pages');
const test = browserSuite('slow-requests-page', 'to look at the pages of slow requests');
const rows = 'document.querySelectorAll("tbody tr").length';
const first = 'document.querySelector("tbody code")?.textContent';

test('a customer finds the page that is slow, and an operator the account', async (browser) => {
  const server = await TestServer.start();
  const { account, token } = await server.user('ann');
  for (const domain_url of ['ann.example', 'other.example'])
    await server.ask('/api/domains/new', { method: 'POST', token, body: { domain_url } });
  const ids = await server.hostkeep.core.store.all<{ id: number }>('select id from domains order by id');
  const one = { accountId: account.id, domainId: ids[0]?.id ?? 0, at: Date.now(), method: 'GET', status: 200 };
  const many = Array.from({ length: 30 }, (_, i) => ({ ...one, path: `/${i}`, tookMs: 3000 }));
  const hostile = { ...one, domainId: ids[1]?.id ?? 0, path: '/<img src=x onerror=alert(1)>?key=secret', tookMs: 8000 };
  await server.hostkeep.core.local.write((tx) => addRequests(tx, [...many, hostile, many[7] ?? hostile]));
  try {
    const driver = await PageDriver.entered(browser, server, 'user', 'ann');
    const { page } = driver;
    await driver.goto('/home/slow-requests');
    await driver.says('GET /<img src=x onerror=alert(1)>');
    await driver.says('key=secret');
    assert.is(await page.evaluate(rows), 25);
    await page.click('thead th:nth-child(2) button');
    await page.waitForFunction(`${first} === 'GET /7'`);
    await driver.press('Next');
    await page.waitForFunction(`${rows} === 6`);
    await page.waitForFunction(`document.querySelector('main select').options.length === 3`);
    await page.select('main select', 'other.example');
    await page.waitForFunction(`${rows} === 1`);
    assert.equal(await driver.violations(), []);
    await driver.finish();
    await server.account('operator', '', 'admin');
    const console = await PageDriver.entered(browser, server, 'admin', 'operator');
    await console.goto('/console/slow-requests');
    await console.says('GET /<img src=x onerror=alert(1)>');
    assert.not.match(await console.text('main'), /secret/);
    await console.page.click('tbody a');
    await console.page.waitForFunction(`location.pathname === '/console/accounts/ann'`);
    await console.finish();
  } finally {
    await server.close();
  }
});
