/**
 * What pages of other origins can do with the cookie of a page, in a real browser: nothing.
 *
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'puppeteer-core';
import * as assert from '../support/assert.ts';
import type { Address } from '../../kernel/contract/route-spec.ts';
import { browserSuite } from '../support/chromium.ts';
import { PASSWORD, TestServer } from '../support/hostkeep.ts';
import { LIMIT_MS } from '../support/until.ts';

const test = browserSuite('page session attacks', 'to attack the session of a page');
const HOST = 'panel.localhost';
/** Another site, a subdomain, and the same host with another port, to which browsers send the same cookies. */
const FOREIGN = ['evil.localhost', `evil.${HOST}`, HOST];
let server: TestServer;
let evil: Server;
test.before(async () => {
  server = await TestServer.start({ config: { admin_hosts: [HOST] } });
  await server.account('paula');
  await server.account('root', '', 'admin');
  evil = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end('<title>evil</title>'));
  await once(evil.listen(0, '127.0.0.1'), 'listening');
});
test.after(async () => {
  evil.close();
  await server.close();
});

async function pageIn(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(LIMIT_MS);
  return page;
}

const panelOf = (address: Address) => server.hostkeep.url(address).replace('127.0.0.1', HOST);

/** Asks as a script of the page would. Resolves with the status, or the name of the browser's error. */
const ask = (page: Page, url: string, init: object): Promise<number | string> =>
  page.evaluate(
    async (url, init) => {
      try {
        return (await fetch(url, init)).status;
      } catch (error) {
        return (error as Error).name;
      }
    },
    url,
    init,
  );

async function loggedIn(page: Page, address: Address): Promise<void> {
  await page.goto(`${panelOf(address)}/`);
  const body = JSON.stringify({ username: address === 'user' ? 'paula' : 'root', password: PASSWORD });
  const headers = { 'Content-Type': 'application/json', 'Hostkeep-Page': '1' };
  assert.is(await ask(page, '/api/login', { method: 'POST', headers, body }), 200);
}

/** Scripts of foreign pages: elements that load a URL with the cookies of their browser, and a form sent to it. */
const embedding = (url: string) => `(async () => {
  for (const name of ['img', 'script', 'iframe']) {
    const element = document.createElement(name);
    const settled = new Promise((resolve) => {
      for (const event of ['load', 'error']) element.addEventListener(event, resolve);
    });
    element.src = ${JSON.stringify(url)};
    document.body.append(element);
    await settled;
  }
})()`;
const submitting = (url: string) => `{
  const form = document.createElement('form');
  form.method = 'post';
  form.action = ${JSON.stringify(url)};
  document.body.append(form);
  form.submit();
}`;

const own = (page: Page) => ask(page, '/api/account/2fa', { headers: { 'Hostkeep-Page': '1' } });

for (const address of ['user', 'admin'] as const)
  test(`${address} address: a page has its session, its scripts have no cookie`, async (browser) => {
    const context = await browser.createBrowserContext();
    const page = await pageIn(context);
    await loggedIn(page, address);
    assert.is(await own(page), 200);
    assert.is(await page.evaluate('document.cookie'), '');
    assert.is(await ask(page, '/api/account/2fa', {}), 401, 'without the header there is no session');
    const logout = { method: 'POST', headers: { 'Hostkeep-Page': '1' } };
    assert.is(await ask(page, '/api/logout', logout), 200);
    assert.is(await own(page), 401);
    assert.equal(await context.cookies(), [], 'the logout took the cookie away');
    await context.close();
  });

for (const address of ['user', 'admin'] as const)
  test(`${address} address: foreign pages change and learn nothing`, async (browser) => {
    const context = await browser.createBrowserContext();
    const victim = await pageIn(context);
    await loggedIn(victim, address);
    const logout = `${panelOf(address)}/api/logout`;
    for (const host of FOREIGN) {
      const page = await pageIn(context);
      await page.goto(`http://${host}:${(evil.address() as AddressInfo).port}/`);
      const withCookie = { method: 'POST', credentials: 'include' };
      const header = { headers: { 'Hostkeep-Page': '1' } };
      assert.is(await ask(page, logout, { ...withCookie, ...header }), 'TypeError', 'no preflight is granted');
      assert.is(await ask(page, logout, withCookie), 'TypeError', 'no reply can be read');
      assert.is(await ask(page, logout, { ...withCookie, ...header, mode: 'no-cors' }), 0, 'the header is dropped');
      await page.evaluate(embedding(`${panelOf(address)}/api/account/sessions`));
      const answered = page.waitForNavigation();
      await page.evaluate(submitting(logout));
      assert.is((await answered)?.status(), 401, `a form of ${host}`);
      await page.close();
      assert.is(await own(victim), 200, `the session lives after ${host}`);
    }
    await context.close();
  });
