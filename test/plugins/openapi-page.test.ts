/**
 * Tests the page /docs in a real browser that can reach only the server.
 *
 * @slow starts Chromium
 */
import { existsSync } from 'node:fs';
import type { Browser, Page } from 'puppeteer';
import * as assert from 'uvu/assert';
import type { Address } from '../../kernel/plugin-api/route-spec.ts';
import { PASSWORD, TestServer } from '../support/hostkeep.ts';
import { reportSkipped, testSuite } from '../support/suite.ts';

const test = testSuite('openapi page');
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path));
let server: TestServer;
let browser: Browser | undefined;
test.before(async () => {
  server = await TestServer.start();
  await server.account('demo', 'basic');
  await server.account('root', '', 'admin');
  if (CHROMIUM === undefined)
    return reportSkipped('no chromium to show the page /docs in; apt-get install -y chromium');
  const { default: puppeteer } = await import('puppeteer');
  browser = await puppeteer.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--proxy-server=127.0.0.1:9', '--proxy-bypass-list=127.0.0.1'],
    pipe: true,
  });
});
test.after(async () => {
  await browser?.close();
  await server.close();
});

const FILES = {
  '/docs': 'text/html',
  '/docs/docs.js': 'text/javascript',
  '/docs/docs.css': 'text/css',
  '/docs/swagger-ui-bundle.js': 'text/javascript',
  '/docs/swagger-ui.css': 'text/css',
};

// asvs 3.2.1, 3.2.2, 3.4.3, 3.4.5, 3.4.6, 3.7.1, 3.7.2: /docs has a strict policy, no referrer and no frames
// asvs 13.4.1: only five named files of the checkout are served
test('its files come from a fixed list, with their types and a policy without exceptions', async () => {
  for (const address of ['user', 'admin'] as const) {
    for (const [path, type] of Object.entries(FILES)) {
      const { status, headers, body } = await server.ask<string>(path, { address });
      assert.is(status, 200, path);
      assert.is(headers.get('content-type'), `${type}; charset=utf-8`, path);
      assert.match(
        headers.get('content-security-policy') ?? '',
        /^default-src 'none'; script-src 'self'; style-src 'self';/,
      );
      assert.not.match(headers.get('content-security-policy') ?? '', /unsafe|\*|https?:/);
      assert.ok(body.length > 100, path);
      assert.is(headers.get('cache-control'), 'no-cache');
      const again = await server.ask<string>(path, {
        address,
        headers: { 'if-none-match': String(headers.get('etag')) },
      });
      assert.equal([again.status, again.body], [304, '']);
    }
    for (const path of [
      '/docs/',
      '/docs/package.json',
      '/docs/../package.json',
      '/docs/%2e%2e/index.ts',
      '/docs/swagger-ui.css.map',
    ])
      assert.is((await server.ask(path, { address })).status, 404, path);
  }
});

/** Opens the page and records the browser's errors and requests. */
async function open(address: Address): Promise<{ page: Page; browserErrors: string[]; requests: string[] }> {
  const page = await (browser as Browser).newPage();
  const [browserErrors, requests]: [string[], string[]] = [[], []];
  page.on(
    'console',
    (message) => void (['error', 'warn'].includes(message.type()) && browserErrors.push(message.text())),
  );
  page.on('pageerror', (error) => void browserErrors.push(String(error)));
  page.on('request', (request) => void requests.push(request.url()));
  await page.goto(`${server.hostkeep.url(address)}/docs`);
  await page.waitForSelector('.opblock');
  return { page, browserErrors, requests };
}

/** Selects an operation in Swagger UI, which writes a backslash into the id. */
const at = (plugin: string, name: string) => `[id^="operations-${plugin}-"][id$=".${name}"]`;
const operations = (page: Page) =>
  page.$$eval('.opblock-summary-path', (found) =>
    found.map((each) => String(each.textContent).replaceAll('\u200b', '')),
  );

async function logIn(page: Page, username: string): Promise<void> {
  await page.type('#username', username);
  await page.type('#password', PASSWORD);
  await page.click('#login button');
}

// asvs 6.2.6, 6.2.7: /docs masks passwords and allows password managers
// asvs 14.3.1, 14.3.3: /docs keeps the token in the page, and nothing in browser storage
test('it shows what a guest may use, after a login what the account may use, and executes a request', async () => {
  if (browser === undefined) return;
  const { page, browserErrors, requests } = await open('user');
  const list = at('domains', 'list');
  assert.ok((await operations(page)).includes('/api/login'));
  assert.not.ok((await operations(page)).includes('/api/domains'));
  await logIn(page, 'demo');
  await page.waitForSelector(list);
  assert.ok((await operations(page)).includes('/api/domains'));
  await page.click(`${list} .opblock-summary-control`);
  await (await page.waitForSelector(`${list} .try-out__btn`))?.click();
  await (await page.waitForSelector(`${list} .execute`))?.click();
  const status = await page.waitForSelector(`${list} .live-responses-table tbody .response-col_status`);
  assert.match(String(await status?.evaluate((each) => each.textContent)), /^200/);
  assert.equal(browserErrors, []);
  assert.equal(
    requests.filter((url) => !url.startsWith(server.hostkeep.url('user')) && !url.startsWith('data:')),
    [],
  );
  await page.close();
});

test('it says why a login failed', async () => {
  if (browser === undefined) return;
  const { page } = await open('user');
  await logIn(page, 'nobody');
  await page.waitForFunction('document.getElementById("state").value === "Invalid credentials"');
  await page.close();
});

test('on the admin address an administrator sees the routes for administrators', async () => {
  if (browser === undefined) return;
  const { page, browserErrors } = await open('admin');
  await logIn(page, 'root');
  await page.waitForSelector(at('control', 'plans'));
  assert.ok((await operations(page)).includes('/api/accounts'));
  assert.equal(browserErrors, []);
  await page.close();
});
