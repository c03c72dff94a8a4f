import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { PROCESS_ID } from '../../../../kernel/kit/programs/process-id.ts';
import { findBrowser } from '../../../../plugins/screenshots/browser/launch-command.ts';
import { coloured, Site } from '../fixtures/site.ts';
import { browsers, closeHarnesses, pixels, Harness, withBrowser } from '../fixtures/harness.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';
import { assertNone, pick } from '../../../support/lists.ts';

const test = testSuite('screenshots');
const inBrowser = withBrowser(test);
const REMOTE = { remote_url: 'https://shots.test/take?url={url}&w={width}', remote_key: 'secret' };
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

let site: Site;
let harness: Harness;
let folder: string;
test.before(async () => {
  site = await Site.start();
  folder = mkdtempSync(join(tmpdir(), 'hostkeep-test-'));
  harness = await Harness.open(
    { site_address: site.address, public_addresses: false, pages: 2, page_seconds: 10 },
    folder,
  );
});
test.after(async () => {
  await closeHarnesses();
  await site.close();
  rmSync(folder, { recursive: true, force: true });
  await until('no browser is left', () => browsers().length === 0); // the browser's crash handlers end a moment after it
  assertNone(readdirSync(tmpdir()), (name) => name.startsWith(`hostkeep-browser-${PROCESS_ID}-`), 'no profile is left');
});

test('bad input is refused', async () => {
  const remote = await Harness.open(REMOTE);
  for (const path of [
    '',
    'a b.test',
    'pictures.test:80/',
    'user@pictures.test',
    '-a.test',
    'http://pictures.test',
    '%5B::1%5D',
  ])
    assert.equal([path, ...(await refusal(remote, path))], [path, 400, 'invalid_domain']);
  assert.equal(await refusal(remote, 'pictures.test/a%0d%0ab'), [400, 'invalid_path']);
  assert.equal(await refusal(remote, `pictures.test/${'a'.repeat(3000)}`), [400, 'invalid_path']);
  for (const query of ['width=63', 'width=1921', 'width=x', 'refresh=maybe', 'width=100&width=200'])
    assert.equal([query, ...(await refusal(remote, `pictures.test?${query}`))], [query, 400, 'invalid_request']);
  await remote.close();
});

test("another account's domain and an unknown one get the same answer", async () => {
  const remote = await Harness.open(REMOTE);
  const cleo = await remote.server.user('cleo');
  remote.domains.set(cleo.account, 'cleo.test');
  const answers = await Promise.all(
    ['cleo.test', 'nobody.test', 'sub.pictures.test', '127.0.0.1', '169.254.169.254', 'localhost'].map((path) =>
      refusal(remote, path),
    ),
  );
  for (const answer of answers) assert.equal(answer, [404, 'domain_not_found']);
  assert.is((await remote.capture('cleo.test', { token: cleo.token })).status, 200);
  await remote.close();
});

test('with a remote service the reply is the signed URL of the screenshot', async () => {
  const remote = await Harness.open(REMOTE);
  const { body } = await remote.server.ask('/api/screenshot/pictures.test/a?width=320', { token: remote.token });
  assert.match(
    String(body['url']),
    /^https:\/\/shots\.test\/take\?url=http%3A%2F%2Fpictures\.test%2Fa&w=320&expires=\d+&signature=[0-9a-f]{64}$/,
  );
  assert.equal(Object.keys(body), ['url']);
  await remote.close();
});

test('without a browser the route returns 503, and the plugin says what to install', async () => {
  const without = await Harness.open({ executable: '/nonexistent/browser' });
  const { status, error, headers } = await without.capture('pictures.test');
  assert.equal([status, error], [503, 'feature_unavailable']);
  assert.ok(Number(headers.get('retry-after')) > 0);
  const plugin = without.server.hostkeep.node.plugins().find(({ name }) => name === 'screenshots');
  assert.match(plugin?.remedy ?? '', /apt-get install chromium/);
  await without.close();
});

test('a source address that is not one of this node makes the plugin unavailable', async () => {
  const foreign = await Harness.open({ executable: '/bin/false', source_address: '192.0.2.77' });
  const plugin = foreign.server.hostkeep.node.plugins().find(({ name }) => name === 'screenshots');
  assert.is(plugin?.reason, 'screenshots.source_address 192.0.2.77 is not an address of this node');
  await foreign.close();
});

test('a browser that does not start gives a 503', async () => {
  const broken = await Harness.open({ executable: '/bin/false' });
  assert.is((await broken.server.health('screenshots'))[0]?.ok, true);
  const { status, error, headers } = await broken.capture('pictures.test');
  assert.equal([status, error], [503, 'screenshots_unavailable']);
  assert.ok(Number(headers.get('retry-after')) > 0);
  const [finding] = await broken.server.health('screenshots');
  assert.is(finding?.ok, false);
  assert.match(finding?.detail ?? '', /^\/bin\/false did not start: /);
  await broken.close();
});

inBrowser('the screenshot shows the page, 1280×800, requested under its own host name', async () => {
  site.page(
    '/',
    '<!doctype html><body style="margin:0;background:#0a0b0c">' +
      '<div style="position:absolute;left:640px;top:0;width:640px;height:400px;background:#c81e3c"></div>',
  );
  const { status, headers, png } = await harness.capture('pictures.test');
  assert.equal([status, headers.get('content-type')], [200, 'image/png']);
  assert.ok(png.subarray(0, 8).equals(PNG));
  const image = await pixels(png);
  assert.equal([image.width, image.height], [1280, 800]);
  assert.equal([image.at(0.25, 0.25), image.at(0.75, 0.25), image.at(0.75, 0.75)], ['#0a0b0c', '#c81e3c', '#0a0b0c']);
  assert.ok(site.requests.includes('pictures.test /'));
});

inBrowser('a second request is answered from the cache, or with 304', async () => {
  const count = site.count('/');
  const first = await harness.capture('pictures.test');
  const etag = first.headers.get('etag') ?? '';
  assert.match(etag, /^"[\w-]{22}"$/);
  assert.match(first.headers.get('cache-control') ?? '', /^private, max-age=\d+$/);
  const known = await harness.capture('Pictures.TEST./', { headers: { 'if-none-match': `"x", W/${etag}` } });
  assert.equal([known.status, known.png.length, known.headers.get('etag')], [304, 0, etag]);
  assert.is((await harness.capture('pictures.test', { headers: { 'if-none-match': '"x"' } })).status, 200);
  assert.is(
    (await harness.capture('pictures.test', { method: 'HEAD' })).headers.get('content-length'),
    String(first.png.length),
  );
  assert.is(site.count('/'), count);
});

inBrowser('a width scales the cached screenshot', async () => {
  const count = site.count('/');
  for (const [width, height] of [
    [64, 40],
    [320, 200],
    [1920, 1200],
  ] as const) {
    const { status, error, png } = await harness.capture(`pictures.test?width=${width}`);
    assert.is(status, 200, error);
    const image = await pixels(png);
    assert.equal([image.width, image.height, image.at(0.75, 0.25)], [width, height, '#c81e3c']);
  }
  assert.is(site.count('/'), count);
});

inBrowser("path and query string are part of the page's URL", async () => {
  site.page(
    '/shop',
    (request, response) =>
      void response
        .setHeader('Content-Type', 'text/html')
        .end(coloured(request.url === '/shop?id=7' ? '#008000' : '#0000ff')),
  );
  assert.is(await harness.colour('pictures.test/shop%3Fid=7'), '#008000');
  assert.is(await harness.colour('pictures.test/shop'), '#0000ff');
  site.page('//evil.test/', coloured('#008000'));
  assert.is(await harness.colour('pictures.test//evil.test/'), '#008000');
});

inBrowser('refresh takes a new screenshot, once a minute per site', async () => {
  site.page('/news', coloured('#0000ff'));
  assert.is(await harness.colour('pictures.test/news'), '#0000ff');
  site.page('/news', coloured('#008000'));
  assert.is(await harness.colour('pictures.test/news'), '#0000ff');
  const fresh = await harness.capture('pictures.test/news?refresh=true');
  assert.is(fresh.headers.get('ratelimit'), '"refreshes-of-a-site";r=0;t=60');
  assert.is(await harness.colour('pictures.test/news'), '#008000');
  const again = await harness.capture('pictures.test/?refresh=true');
  assert.equal([again.status, again.error], [429, 'rate_limited']);
  const seconds = Number(again.headers.get('retry-after'));
  assert.ok(seconds > 0 && seconds <= 60);
  assert.is(again.headers.get('ratelimit'), `"refreshes-of-a-site";r=0;t=${seconds}`);
  assert.is(again.headers.get('ratelimit-policy'), '"refreshes-of-a-site";q=1;w=60');
});

inBrowser('a thousand requests for one page open one page', async () => {
  site.page('/popular', coloured('#008000'));
  const shots = await Promise.all(Array.from({ length: 1000 }, () => harness.capture('pictures.test/popular')));
  assert.ok(shots.every(({ status, png }) => status === 200 && png.equals(shots[0]?.png ?? Buffer.alloc(0))));
  assert.is(site.count('/popular'), 1);
});

inBrowser('no more pages are open than configured, and a full queue gives 503 at once', async () => {
  const held: (() => void)[] = [];
  site.page(
    '/held',
    (_, response) => void held.push(() => response.setHeader('Content-Type', 'text/html').end(coloured('#008000'))),
  );
  const small = await Harness.open({ site_address: site.address, pages: 1, queue_limit: 4 });
  const other = await small.server.user('other');
  small.domains.set(other.account, 'other.test');
  const requested = site.next('/held?0');
  const shots = [small.capture('pictures.test/held%3F0')];
  await requested;
  for (let i = 1; i <= 3; i++) shots.push(small.capture(`pictures.test/held%3F${i}`));
  await until('three wait', async () => (await metric(small, 'waiting')) === 3);
  const refused = await small.capture('pictures.test/held%3F4');
  assert.equal([refused.status, refused.error], [503, 'overloaded'], "three quarters are one account's");
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  const otherAsked = site.next('/held?other');
  shots.push(small.capture('other.test/held%3Fother', { token: other.token }));
  await until('four wait', async () => (await metric(small, 'waiting')) === 4);
  assert.equal(await refusal(small, 'other.test/held%3Fmore', other.token), [503, 'overloaded'], 'the queue is full');
  assert.is(await metric(small, 'pages_open'), 1);
  let before: string | undefined;
  void otherAsked.then(() => (before = site.requests.filter((each) => each.includes('/held')).join()));
  for (let done = 0; done < shots.length; done += 1) {
    await until('the next page is asked for', () => held.length > done);
    assert.is(held.length, done + 1, 'one at a time');
    held[done]?.();
  }
  assert.equal(pick(await Promise.all(shots), 'status'), [200, 200, 200, 200, 200]);
  assert.ok(before !== undefined && !before.includes('/held?2'), 'accounts take turns');
  await small.close();
});

inBrowser('a site that cannot be reached is a 502, remembered for a while', async () => {
  const gone = await Site.start();
  const lost = await Harness.open({ site_address: gone.address });
  await gone.close();
  assert.equal(await refusal(lost, 'pictures.test'), [502, 'site_unreachable']);
  assert.is(await metric(lost, 'failed_total'), 1);
  assert.equal(await refusal(lost, 'pictures.test'), [502, 'site_unreachable']);
  assert.is(await metric(lost, 'failed_total'), 1);
  await lost.close();
});

inBrowser('screenshots survive a restart and are removed with the domain', async () => {
  const own = temporaryFolder();
  const files = () => filesBelow(join(own, 'screenshots'));
  const settings = { site_address: site.address, public_addresses: false, pages: 2 };
  site.page('/kept', coloured('#008000'));
  const before = await Harness.open(settings, own);
  assert.is(await before.colour('pictures.test/kept'), '#008000');
  const count = site.count('/kept');
  await before.close();
  assert.ok(files().length > 0);
  for (const file of files()) assert.equal([file.endsWith('.png'), statSync(file).mode & 0o777], [true, 0o600]);
  const after = await Harness.open(settings, own, before.domains);
  assert.is(await after.colour('pictures.test/kept'), '#008000');
  assert.is(site.count('/kept'), count);
  after.domains.set(after.account, 'elsewhere.test');
  assert.equal(await refusal(after, 'pictures.test/kept'), [404, 'domain_not_found']);
  await until('no file is left', () => files().length === 0);
  after.domains.set(after.account, 'pictures.test');
  assert.is(await after.colour('pictures.test/kept'), '#008000');
  assert.is(site.count('/kept'), count + 1);
});

inBrowser('a domain removed during a capture leaves no screenshot', async () => {
  let answer: () => void = () => undefined;
  site.page(
    '/leaving',
    (_, response) => void (answer = () => response.setHeader('Content-Type', 'text/html').end(coloured('#008000'))),
  );
  const requested = site.next('/leaving');
  const shot = harness.capture('pictures.test/leaving');
  await requested;
  harness.domains.set(harness.account);
  answer();
  assert.equal([(await shot).status, (await shot).error], [404, 'domain_not_found']);
  await until('no file is left', () => filesBelow(join(folder, 'screenshots')).length === 0); // those of earlier tests as well
  harness.domains.set(harness.account, 'pictures.test');
});

inBrowser('the browser starts on demand and ends when idle', async () => {
  let answer: () => void = () => undefined;
  site.page(
    '/idle',
    (_, response) => void (answer = () => response.setHeader('Content-Type', 'text/html').end(coloured('#008000'))),
  );
  const others = new Set(browsers().map(({ pid }) => pid));
  const own = () => browsers().filter(({ pid, isMain }) => isMain && !others.has(pid)).length;
  const idle = await Harness.open({ site_address: site.address, idle_seconds: 0.5, ttl_seconds: 0.1 });
  assert.is(own(), 0);
  const requested = site.next('/idle');
  const shot = idle.colour('pictures.test/idle');
  await requested;
  assert.is(own(), 1);
  answer();
  assert.is(await shot, '#008000');
  await until('none of its own is left', () => own() === 0);
  site.page('/idle', coloured('#008000'));
  assert.is(await idle.colour('pictures.test/idle'), '#008000');
  await idle.close();
});

inBrowser('a browser that finds no sandbox takes no screenshot, and says what to change', async () => {
  const script = join(folder, 'browser.sh');
  chmodSync(folder, 0o755);
  writeFileSync(
    script,
    `#!/bin/sh\nexec ${findBrowser('') ?? ''} --disable-namespace-sandbox --disable-setuid-sandbox "$@"\n`,
    { mode: 0o755 },
  );
  const strict = await Harness.open({ site_address: site.address, executable: script });
  assert.equal(await refusal(strict, 'pictures.test'), [503, 'screenshots_unavailable']);
  const [finding] = await strict.server.health('screenshots');
  assert.equal([finding?.ok, finding?.remedy?.startsWith('permit user namespaces')], [false, true]);
  await strict.close();
  site.page('/off', coloured('#008000'));
  const off = await Harness.open({ site_address: site.address, executable: script, sandbox: 'off' });
  assert.is(await off.colour('pictures.test/off'), '#008000');
  assert.ok(browsers().some(({ command }) => command.includes('--no-sandbox')));
  await off.close();
});

inBrowser("doctor reports the browser's version, user and sandbox", async () => {
  const found = await harness.server.hostkeep.plugins.gather('doctor');
  const findings = found.flatMap((each) => (each.ok ? each.value : []));
  assert.match(findings.find(({ name }) => name === 'browser')?.detail ?? '', /\d+\.\d+\.\d+/);
  assert.ok(
    findings.every(({ ok }) => ok),
    JSON.stringify(findings),
  );
});

async function refusal(where: Harness, path: string, token = where.token): Promise<[number, string | undefined]> {
  const { status, error } = await where.capture(path, { token });
  return [status, error];
}

async function metric({ server }: Harness, name: string): Promise<number | undefined> {
  const metrics = (await server.hostkeep.plugins.gather('metrics')).flatMap((each) => (each.ok ? each.value : []));
  return metrics.find((each) => each.name === `hostkeep_screenshots_${name}`)?.samples[0]?.value;
}

function filesBelow(path: string): string[] {
  if (!existsSync(path)) return [];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
