/** Text beyond ASCII leaves as UTF-8, with each version of Node.js; see `utf8` in the response writer. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { errorCodes, HttpError, isErrorCode } from '../../kernel/errors.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { ready, Stream } from '../../kernel/contract/reply.ts';
import { Type } from '../../kernel/schema.ts';
import { temporaryFolder } from '../support/folder.ts';
import { demoEngine, type FakeEngine } from '../support/fake-engine.ts';
import { allPlugins, TestServer } from '../support/hostkeep.ts';
import { testSuite } from '../support/suite.ts';
import { watchWire, type Wire } from '../support/wire.ts';

/** Within Latin-1, and beyond it. */
const TEXTS = ['Übergröße', 'Ελληνικά', 'naïve café', '日本語', '😀 party', 'Ωμέγα ä 😀'];
const test = testSuite('UTF-8');
let wire: Wire;
let server: TestServer;
let engine: FakeEngine;

const speaker = definePlugin({
  name: 'speaker',
  features: [],
  routes: {
    say: {
      method: 'GET',
      path: '/api/say/:text',
      access: 'guest',
      summary: 'Says a text',
      params: Type.Object({ text: Type.String() }),
      reply: Type.String(),
    },
    sing: {
      method: 'GET',
      path: '/api/sing',
      access: 'guest',
      summary: 'Sings all texts',
      produces: ['text/event-stream'],
      reply: Type.String(),
    },
    fail: {
      method: 'GET',
      path: '/api/fail/:code',
      access: 'user',
      summary: 'Fails in the language of the account',
      params: Type.Object({ code: Type.String() }),
      reply: Type.Object({}),
    },
    head: { method: 'GET', path: '/api/head', access: 'guest', summary: 'Has a bad head', reply: Type.Object({}) },
  },
  setup: () => ({
    handlers: {
      say: ({ params }) => params.text,
      sing: () =>
        new Stream('text/event-stream', (sink) => {
          for (const text of TEXTS) sink.write(`data: ${text}\n\n`);
          setImmediate(() => sink.end());
          return () => {};
        }),
      fail: ({ params: { code } }) => {
        throw new HttpError(isErrorCode(code) ? code : 'not_found', TEXTS.join());
      },
      head: () => ready({}, { headers: { 'X-Name': 'Übergröße' } }),
    },
  }),
});

test.before(async () => {
  wire = await watchWire();
  const socket = join(temporaryFolder(), 'docker.sock');
  engine = await demoEngine(socket);
  const config = { containers: { socket }, screenshots: { remote_url: 'https://pictures.example/{domain}' } };
  server = await TestServer.start({ plugins: [...(await allPlugins()), speaker], config });
});
test.after(async () => {
  await server.close();
  await engine.close();
  wire.close();
});
test.after.each(() => assert.equal(wire.strings, [], 'handed to uWebSockets.js as strings'));

/** Returns the text of a reply, whose bytes must be UTF-8, and its status. */
async function read(path: string, token?: string, address: 'user' | 'admin' = 'user'): Promise<[number, string]> {
  const response = await fetch(server.hostkeep.url(address) + encodeURI(path), {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
  return [response.status, new TextDecoder('utf-8', { fatal: true }).decode(await response.arrayBuffer())];
}

test('the watch notices strings, and bytes', async () => {
  const other = await watchWire();
  const before = other.bytes();
  assert.equal(await read('/api/say/ä'), [200, '"ä"']);
  assert.ok(other.bytes() > before);
  other.close();
});

test('plain values and streams', async () => {
  for (const text of TEXTS) assert.equal(await read(`/api/say/${text}`), [200, JSON.stringify(text)]);
  assert.equal(await read('/api/sing'), [200, TEXTS.map((text) => `data: ${text}\n\n`).join('')]);
});

test('every error in every language', async () => {
  const { locales, accounts } = server.hostkeep.core;
  const { token } = await server.user('polyglot');
  for (const locale of ['en', 'de', 'fr']) {
    await accounts.update('polyglot', { locale });
    for (const code of errorCodes().filter(isErrorCode)) {
      const body = JSON.parse((await read(`/api/fail/${code}`, token))[1]) as Record<string, unknown>;
      assert.equal(
        [body['error'], body['title'], body['detail']],
        [code, locales.errorTitle(locale, code), TEXTS.join()],
      );
    }
  }
});

test('a header is ASCII or is not sent at all', async () => {
  const [status, body] = await read('/api/head');
  assert.is(status, 500);
  assert.match(body, /"error":"internal_error"/);
});

test("an account's favourites, folders, files, activity and plan", async () => {
  const { account, token } = await server.user('ann');
  const { token: operator } = await server.admin();
  for (const text of TEXTS) {
    mkdirSync(join(account.filesRoot, text, text), { recursive: true });
    writeFileSync(join(account.filesRoot, text, `${text}.php`), text);
    const { status, body } = await server.ask('/api/favorites', {
      method: 'PUT',
      token,
      body: { link: `/files/${encodeURI(text)}`, title: text },
    });
    assert.is(status, 200, JSON.stringify(body));
  }
  const { status } = await server.ask('/api/plans', {
    method: 'POST',
    address: 'admin',
    token: operator,
    body: { name: 'greek', description: TEXTS.join(), features: [] },
  });
  assert.is(status, 201);
  for (const [path, key, address] of [
    ['/api/favorites', token, 'user'],
    ['/api/account/activity', token, 'user'],
    ['/api/folders/var/www/html', token, 'user'],
    ['/api/plans/greek', operator, 'admin'],
    ['/api/plans', operator, 'admin'],
  ] as const) {
    const [, body] = await read(path, key, address);
    if (path !== '/api/account/activity') for (const text of TEXTS) assert.ok(body.includes(text), `${path}: ${body}`);
  }
  for (const text of TEXTS) {
    assert.ok((await read(`/api/folders/var/www/html/${text}`, token))[1].includes(text));
    const [, found] = await read(`/api/search/files?q=${text.split(' ')[0]}`, token);
    assert.ok(found.includes(text), found);
  }
});
