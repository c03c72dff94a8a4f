/**
 * Tests the page to which /docs leads, in a real browser that can reach only the server.
 *
 */
import * as assert from '../../../support/assert.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { PASSWORD, TestServer } from '../../../support/hostkeep.ts';
import { PageDriver } from '../../../support/page-driver.ts';
import { until } from '../../../support/until.ts';

const test = browserSuite('openapi page', 'to show the page /docs in');
let server: TestServer;
test.before(async () => {
  server = await TestServer.start();
  await server.account('demo', 'basic');
  await server.account('root', '', 'admin');
});

// asvs 3.2.1, 3.2.2, 3.4.3, 3.4.5, 3.4.6, 3.7.1, 3.7.2: the page of /docs has a strict policy, no referrer and no frames
test('/docs leads to a page of its address, which has a policy without exceptions', async () => {
  for (const [address, page] of [
    ['user', '/home/docs'],
    ['admin', '/console/docs'],
  ] as const) {
    const answer = await fetch(`${server.hostkeep.url(address)}/docs`, { redirect: 'manual' });
    assert.equal([answer.status, answer.headers.get('location')], [302, page]);
    const { status, headers } = await server.ask<string>(page, { address, headers: { accept: 'text/html' } });
    const policy = headers.get('content-security-policy') ?? '';
    assert.is(status, 200);
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.not.match(policy, /unsafe|\*|https?:/);
    assert.equal([headers.get('referrer-policy'), headers.get('cache-control')], ['no-referrer', 'no-cache']);
    for (const path of ['/docs/', '/docs/docs.js']) assert.is((await server.ask(path, { address })).status, 404, path);
  }
});

const paths = (driver: PageDriver) =>
  driver.page.$$eval('.operations code', (found) => found.map((each) => String(each.textContent)));

/** Unfolds an operation. */
async function unfold(driver: PageDriver, path: string): Promise<void> {
  await driver.page.click(`.operations summary ::-p-text(${path})`);
  await driver.page.waitForSelector('.operations form');
}

const shown = (driver: PageDriver, label: string) =>
  driver.page.$$eval(`pre[aria-label="${label}"]`, (all) => String(all.at(-1)?.textContent));

async function close(driver: PageDriver, ...expected: readonly number[]): Promise<void> {
  const complaints = driver.complaints.filter((line) => !expected.some((each) => line.includes(`status of ${each}`)));
  assert.equal(complaints, []);
  await driver.close();
}

// asvs 6.2.6, 6.2.7: /docs masks passwords and allows password managers
// asvs 14.3.1, 14.3.3: the page of /docs never has the token of the session, and keeps nothing of it
test('it shows what the caller may use and sends as the session', async (browser) => {
  const driver = await PageDriver.open(browser, server);
  await driver.goto('/docs');
  await driver.says('Only operations that need no login are shown');
  assert.ok((await paths(driver)).includes('/api/login'));
  assert.not.ok((await paths(driver)).includes('/api/domains'));
  await driver.press('Log in');
  await driver.logIn('demo');
  await driver.page.waitForSelector('.shell');
  await driver.says('/api/domains/new');
  await driver.page.type('.content input[type=search]', 'list domains name');
  await until('one operation is left', async () => (await paths(driver)).join() === '/api/domains');
  await unfold(driver, '/api/domains');
  assert.match(
    await shown(driver, 'Command'),
    /^curl 'http:\/\/127\.0\.0\.1:\d+\/api\/domains' \\\n {2}-H "Authorization: Bearer \$HOSTKEEP_TOKEN"$/,
  );
  await driver.press('Send');
  await driver.says('"total": 0');
  assert.not(/eyJ|hk_/.test(await driver.page.content()), 'no token is in the page');
  assert.not(/eyJ/.test(String(await driver.page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })'))));
  assert.match(driver.page.url(), /#search=list\+domains\+name&operation=domains\.list$/);
  await driver.page.reload();
  await driver.page.waitForSelector('.operations form');
  await close(driver);
});

test('a change that is tried shows itself, and one that is refused says why', async (browser) => {
  await server.account('try', 'basic');
  const driver = await PageDriver.entered(browser, server, 'user', 'try');
  await driver.goto('/home/docs#search=putFavorite');
  await unfold(driver, '/api/favorites');
  await driver.page.$eval('textarea', (area) => (area as unknown as { select(): void }).select());
  await driver.page.type('textarea', `{"link":"javascript:alert(1)","title":"it's"}`);
  assert.ok((await shown(driver, 'Command')).includes(`-d '{"link":"javascript:alert(1)","title":"it'\\''s"}'`));
  await driver.press('Send');
  await driver.says('must be an http or https URL');
  await driver.page.$eval('textarea', (area) => (area as unknown as { select(): void }).select());
  await driver.page.type('textarea', '{"link":"/domains","title":"Mine"}');
  await driver.press('Send');
  await driver.says('"title": "Mine"');
  await close(driver, 400);
});

test('an API token replaces the session and is in the command only on request', async (browser) => {
  const { account, token: login } = await server.user('token');
  assert.ok(account.id > 0);
  const made = await server.ask<{ token: string }>('/api/account/tokens', {
    method: 'POST',
    token: login,
    body: { name: 'docs', scopes: ['domains:read'], expires_in_days: 7, networks: [], password: PASSWORD },
  });
  const { token } = made.body;
  const driver = await PageDriver.open(browser, server);
  await driver.goto('/docs');
  await driver.page.click('summary ::-p-text(Try with an API token)');
  await (await driver.page.waitForSelector('.fold input'))?.type('hk_wrong');
  await driver.press('Use this token');
  await driver.says('Authentication required');
  await driver.page.$eval('.fold input', (input) => (input as unknown as { select(): void }).select());
  await driver.page.type('.fold input', token);
  await driver.press('Use this token');
  await driver.says('List the domains of the account by name');
  await unfold(driver, '/api/domains');
  await driver.press('Send');
  await driver.says('"total": 0');
  assert.not((await shown(driver, 'Command')).includes(token));
  await driver.page.click('.operations input[type=checkbox]');
  assert.ok((await shown(driver, 'Command')).includes(`-H 'Authorization: Bearer ${token}'`));
  await close(driver, 401);
});

test('a stream that never ends is shown as it comes, and stopped', async (browser) => {
  const driver = await PageDriver.entered(browser, server, 'admin', 'root');
  await driver.goto('/console/docs#search=/api/events/stream');
  await unfold(driver, '/api/events/stream');
  await driver.press('Send');
  await driver.says('text/event-stream');
  await server.account('streamed', 'basic');
  await driver.says("User 'streamed' was created");
  await driver.press('Stop');
  await driver.page.waitForSelector('named/Send');
  await close(driver);
});
