/**
 * Opens, in a real browser, every link that people find: as each shipped plan and as an administrator, in every language. None
 * leads to a page that is not there, and nothing is offered that nothing on the server provides.
 *
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';
import * as assert from '../support/assert.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { browserSuite } from '../support/chromium.ts';
import { TestServer } from '../support/hostkeep.ts';
import { PageDriver } from '../support/page-driver.ts';

const plans = Object.keys(JSON.parse(readFileSync(join(projectDir, 'config/plans.json'), 'utf8')) as object);
const LANGUAGES = ['en', 'de', 'fr'];
/** What stays the same page, opened with other things to show. */
const placeOf = (link: string) => link.replace(/[?#].*$/, '');

const test = browserSuite('pages: links', 'to open links in');
let server: TestServer;
test.before(async () => {
  server = await TestServer.start();
  await server.account('root', '', 'admin');
  for (const plan of plans) {
    const { token } = await server.user(`of-${plan}`, plan);
    const ask = (path: string, method: string, body: object) => server.ask(path, { method, token, body });
    assert.is((await ask('/api/domains/new', 'POST', { domain_url: `${plan}.example` })).status, 201);
    const features = await server.ask<{ link: string; name: string }[]>('/api/search/features', { token });
    assert.ok(features.body.length > 10);
    for (const { link, name } of [...features.body, { link: '/mysql/nothing', name: 'Nothing' }])
      if (link !== '') assert.is((await ask('/api/favorites', 'PUT', { link, title: name })).status, 200);
  }
});

/** Returns a driver for the pages of an account in a language. */
async function speaking(browser: Browser, role: 'user' | 'admin', username: string, language: string) {
  await server.hostkeep.core.accounts.update(username, { locale: language });
  return PageDriver.entered(browser, server, role, username);
}

/** Follows all links from a page on, and fails where one leads to no page. Returns the places that were opened. */
async function crawl(driver: PageDriver, start: string): Promise<Set<string>> {
  const [seen, waiting] = [new Set([start]), [{ link: start, from: '' }]];
  for (const { link, from } of waiting) {
    await driver.goto(link);
    assert.is.not(await driver.page.$('main[data-page]'), null, `${link}, a link of ${from}, leads to a page`);
    const links = await driver.page.$$eval('a[href]:not([target])', (all) =>
      all.map((each) => each.getAttribute('href')),
    );
    for (const next of links.map((each) => placeOf(String(each))).filter((each) => each.startsWith('/')))
      if (!seen.has(next)) {
        seen.add(next);
        waiting.push({ link: next, from: link });
      }
  }
  driver.assertContent([], start);
  return seen;
}

for (const plan of plans)
  for (const language of LANGUAGES)
    test(`every link opens a page, as the plan ${plan}, in ${language}`, async (browser) => {
      const driver = await speaking(browser, 'user', `of-${plan}`, language);
      const seen = await crawl(driver, '/home');
      for (const each of ['/home/domains', '/home/account', '/home/docs']) assert.ok(seen.has(each), each);
      await driver.close();
    });

for (const language of LANGUAGES)
  test(`every link of the console opens a page, in ${language}`, async (browser) => {
    const driver = await speaking(browser, 'admin', 'root', language);
    const seen = await crawl(driver, '/console');
    for (const each of ['/console/accounts/of-basic', '/console/plugins/doctor']) assert.ok(seen.has(each), each);
    await driver.close();
  });

test('what nothing on the server provides is not offered', async (browser) => {
  const [home, console] = [
    await speaking(browser, 'user', 'of-basic', 'en'),
    await speaking(browser, 'admin', 'root', 'en'),
  ];
  await home.goto('/home');
  assert.is(await home.page.$('main a[href*="/mysql/nothing"]'), null);
  await home.goto('/home/account');
  await home.says('not available here');
  await home.goto('/home/info');
  await home.says('Databases');
  assert.not.match(await home.text('main'), /Mailboxes/);
  for (const path of ['/console/features', '/console/accounts/of-basic']) {
    await console.goto(path);
    await console.says('Domains');
    assert.not.match(await console.text('main'), /Cron jobs|Website builder/, path);
  }
  for (const each of [home, console]) await each.finish();
});
