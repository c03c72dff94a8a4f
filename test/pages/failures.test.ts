/**
 * Lets, in a real browser, each request of each page fail in turn. Each time the page says so: nowhere does a failure look like
 * "nothing there".
 */
import type { HTTPRequest } from 'puppeteer-core';
import * as assert from '../support/assert.ts';
import type { Address } from '../../kernel/contract/route-spec.ts';
import { browserSuite } from '../support/chromium.ts';
import { addDemoContent } from '../support/demo-content.ts';
import { TestServer } from '../support/hostkeep.ts';
import { PageDriver } from '../support/page-driver.ts';
import { pagesOn, startSurroundings } from '../support/plugin-rows.ts';
import { until } from '../support/until.ts';

/** The session is of the frame of all pages; a stream says by itself that it does not flow, or tasks are asked for instead. */
const APART = /^\/api\/session$|\/(tasks-|backup-tasks-)?stream$/;
const TITLE = 'Out of order';

let failures = 0;

const pages = { user: (await pagesOn('user')).pages, admin: (await pagesOn('admin')).pages };
const test = browserSuite('pages: failures', 'to let requests fail in');
let surroundings: Awaited<ReturnType<typeof startSurroundings>>;
let server: TestServer;
test.before(async () => {
  surroundings = await startSurroundings();
  server = await TestServer.start({ config: surroundings.config });
  const people = { demo: await server.account('demo'), other: await server.account('other', 'basic') };
  await server.account('operator', '', 'admin');
  await addDemoContent(server, people);
});
test.after(async () => {
  await server.close();
  await surroundings.close();
});

const pathOf = (request: HTTPRequest) => new URL(request.url()).pathname;
const isRead = (request: HTTPRequest) =>
  request.method() === 'GET' && /^\/(api|metrics)\b/.test(pathOf(request)) && !APART.test(pathOf(request));

/** Answers reads of one path with an error, and remembers the paths of all. */
class Failing {
  path = '';
  readonly asked = new Set<string>();

  async on({ page }: PageDriver): Promise<this> {
    page.on('request', (request) => {
      if (isRead(request)) this.asked.add(pathOf(request));
      if (!isRead(request) || pathOf(request) !== this.path) return void request.continue();
      const body = JSON.stringify({ title: TITLE, error: 'internal_error', status: 500 });
      void request.respond({ status: 500, contentType: 'application/problem+json', body });
    });
    await page.setRequestInterception(true);
    return this;
  }
}

for (const [address, username] of [
  ['user', 'demo'],
  ['admin', 'operator'],
] as const satisfies readonly (readonly [Address, string])[])
  for (const [path] of pages[address])
    test(`${path} says which of its parts failed`, async (browser) => {
      const driver = await PageDriver.entered(browser, server, address, username);
      const failing = await new Failing().on(driver);
      await driver.goto(path);
      // A part that loads late asks late: each visit may add to what the loop goes over.
      for (const each of failing.asked) {
        failing.path = each;
        await driver.goto(path);
        await until(`${path} tells of ${each}`, async () => (await driver.text('main')).includes(TITLE));
        failures += 1;
      }
      await driver.finish([/status of 500/]);
    });

test('that were more than a request for each page', async () => {
  assert.ok(failures > pages.user.length + pages.admin.length, String(failures));
});
