import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import * as assert from '../../support/assert.ts';
import { projectDir } from '../../../kernel/kit/files/project-dir.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { rawRequest } from '../../support/raw.ts';
import { testSuite } from '../../support/suite.ts';
import { assertNone } from '../../support/lists.ts';

const test = testSuite('pages');
const HTML = { accept: 'text/html,application/xhtml+xml' };
/** The first screen of the home: what its HTML names, and the code and texts that follow. */
const FIRST_SCREEN_BYTES = 60 * 1024;
const EDITOR_BYTES = 96 * 1024;
const ASSETS = join(projectDir, 'dist/plugins/pages/assets');
let server: TestServer;
test.before(async () => void (server = await TestServer.start()));

const assetsIn = (html: string) => [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);

test('browsers get the page of the address, at its start and at each place in it', async () => {
  for (const [address, paths, title] of [
    ['user', ['/', '/home', '/home/domains', '/home/a/b/c'], '<title>Hostkeep</title>'],
    ['admin', ['/', '/console', '/console/accounts'], '<title>Hostkeep console</title>'],
  ] as const)
    for (const path of paths) {
      const { status, headers, body } = await server.ask<string>(path, { address, headers: HTML });
      assert.is(status, 200, path);
      assert.ok(body.includes(title), path);
      assert.is(headers.get('cache-control'), 'no-cache');
      const etag = headers.get('etag') ?? '';
      const again = await server.ask(path, { address, headers: { ...HTML, 'if-none-match': etag } });
      assert.is(again.status, 304);
    }
});

test('other clients get what they got: 404 where there is no route', async () => {
  for (const path of ['/', '/home', '/home/domains'])
    for (const accept of ['*/*', 'application/json', '']) {
      const { status, body } = await server.ask(path, { headers: { accept } });
      assert.equal([status, body['error']], [404, 'not_found'], `${path} ${accept}`);
    }
  assert.is((await server.ask('/console', { headers: HTML })).status, 404, 'the console is on the admin address only');
  assert.is((await server.ask('/home', { headers: HTML, address: 'admin' })).status, 404);
  assert.is((await server.ask('/domains')).status, 404);
  assert.is((await server.ask('/nowhere', { headers: HTML })).status, 404);
  assert.is((await server.ask('/api/nothing', { headers: HTML })).status, 404);
});

test('a page opens under its short path too', async () => {
  for (const path of ['/domains', '/account/sessions', '/mysql']) {
    const { status, headers } = await server.ask(path, { headers: HTML });
    assert.equal([status, headers.get('location')], [302, `/home${path}`]);
  }
});

// asvs 3.2.1, 3.4.3, 3.4.5-6, 3.7.1: the pages have a strict policy with Trusted Types, no referrer and no frames
test('the policy allows nothing inline, nothing foreign and no HTML from texts', async () => {
  for (const address of ['user', 'admin'] as const) {
    const { headers, body } = await server.ask<string>('/', { address, headers: HTML });
    const policy = headers.get('content-security-policy') ?? '';
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'self'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ])
      assert.ok(policy.split('; ').includes(part), part);
    assert.not.match(policy, /unsafe|https?:|\*/);
    assert.is(headers.get('referrer-policy'), 'no-referrer');
    assert.not.match(body, /<script>|<style|\son\w+=|javascript:/i);
  }
});

// asvs 13.4.1: only files that the build lists are served
test('assets are compressed ahead, immutable, and known by name only', async () => {
  const { body: html } = await server.ask<string>('/', { headers: HTML });
  const paths = assetsIn(html);
  assert.ok(paths.length > 3);
  for (const path of paths) {
    assert.match(path, /-[\dA-Za-z]{8}\.(js|css|svg)$/);
    const codings: Record<string, string | null> = { 'br, gzip': 'br', gzip: 'gzip', 'br;q=0, gzip': 'gzip', '': null };
    for (const [accepted, coding] of Object.entries(codings)) {
      const { status, headers } = await server.ask(path, { headers: { 'accept-encoding': accepted } });
      assert.is(status, 200);
      assert.is(headers.get('content-encoding'), coding, `${path} for ${accepted}`);
      assert.is(headers.get('cache-control'), 'public, max-age=31536000, immutable');
      assert.is(headers.get('vary'), 'Accept-Encoding');
    }
  }
  for (const path of [
    '/assets/manifest.json',
    '/assets/../index.js',
    '/assets/%2e%2e/index.js',
    '/assets/',
    '/assets/toString',
  ])
    assert.is((await server.ask(path)).status, 404, path);
});

test('an asset without compression is the same text', async () => {
  const { body: html } = await server.ask<string>('/', { headers: HTML });
  const path = assetsIn(html).find((each) => each.endsWith('.css')) ?? '';
  const url = new URL(server.hostkeep.url('user'));
  const plain = await rawRequest(url.href, `GET ${path} HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`);
  const file = readFileSync(join(projectDir, 'dist/plugins/pages', `${path}.br`));
  assert.is(plain.slice(plain.indexOf('\r\n\r\n') + 4), brotliDecompressSync(file).toString('latin1'));
});

test('the session says who is logged in, and null to everybody else', async () => {
  const [ann, root] = [await server.user('ann', 'basic'), await server.admin()];
  const { body } = await server.ask('/api/session', { token: ann.token });
  assert.equal([body['username'], body['role'], body['plan']], ['ann', 'user', 'basic']);
  assert.ok((body['features'] as string[]).includes('domains'));
  assert.ok(Date.parse(String(body['expires_at'])) > Date.now());
  const operator = await server.ask('/api/session', { address: 'admin', token: root.token });
  assert.equal([operator.body['username'], operator.body['plan']], ['root', null]);
  for (const [address, token] of [
    ['user', undefined],
    ['user', 'not.a.token'],
    ['user', root.token],
    ['admin', ann.token],
  ] as const)
    assert.equal((await server.ask('/api/session', { address, ...(token && { token }) })).body, null);
  await server.hostkeep.core.accounts.setFeature('ann', 'domains', false);
  const later = await server.ask<{ features: string[] }>('/api/session', { token: ann.token });
  assert.not(later.body.features.includes('domains'), 'what is switched off goes at once');
});

/** Folders with texts of pages, and whether all languages are there. */
function textFolders(): string[] {
  const areas = readdirSync(join(projectDir, 'plugins')).map((name) => `plugins/${name}/page/texts`);
  return ['plugins/pages/texts', ...areas].filter((path) => existsSync(join(projectDir, path)));
}

test('every text is there in every language, with the same places for values', () => {
  for (const folder of textFolders()) {
    const [en = {}, ...others] = ['en', 'de', 'fr'].map(
      (name) => JSON.parse(readFileSync(join(projectDir, folder, `${name}.json`), 'utf8')) as Record<string, string>,
    );
    const placesOf = (text = '') => [...new Set(text.match(/\{\w+\}/g) ?? [])].toSorted();
    const formsOf = (text = '') => text.split(' | ').length;
    for (const other of others) {
      assert.equal(Object.keys(other).toSorted(), Object.keys(en).toSorted(), folder);
      for (const [key, text] of Object.entries(en)) {
        assert.equal(placesOf(other[key]), placesOf(text), key);
        assert.is(formsOf(other[key]), formsOf(text), key);
        assert.ok(other[key] !== '' && text !== '', key);
      }
    }
    const area = folder.split('/')[1];
    assertNone(Object.keys(en), (key) => !key.startsWith(`${area}.`), 'keys begin with the area');
  }
});

/** Returns the sizes of the built scripts that these import, at once or later, but by none whose code is left out. */
function scriptsFrom(names: Iterable<string>, without: (code: string) => boolean): Map<string, number> {
  const found = new Map<string, number>();
  const left = [...names];
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (found.has(name)) continue;
    const bytes = readFileSync(join(ASSETS, `${name}.br`));
    const code = brotliDecompressSync(bytes).toString();
    if (without(code)) continue;
    found.set(name, bytes.length);
    left.push(...[...code.matchAll(/"\.\/([\w-]+\.js)"/g)].map(([, part = '']) => part));
  }
  return found;
}

test('the first screen of the home fits its budget, whatever of it is loaded later', () => {
  const shells = readdirSync(ASSETS).flatMap((name) => /^((?:home|console)-.*\.js)\.br$/.exec(name)?.[1] ?? []);
  const all = scriptsFrom(shells, () => false);
  const withoutTools = scriptsFrom(shells, (code) => /cm-gutters|xterm-rows/.test(code));
  assert.ok(withoutTools.size > 20);
  assert.ok(Math.max(...withoutTools.values()) < FIRST_SCREEN_BYTES / 2, 'no part is half of the budget alone');
  const ofEditor = [...all].filter(([name]) => !withoutTools.has(name)).map(([, bytes]) => bytes);
  assert.ok(ofEditor.length > 5, 'the editor and its languages are parts of their own, which nothing else loads');
  assert.ok(Math.max(...ofEditor) < EDITOR_BYTES);
});
