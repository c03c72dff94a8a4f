import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as assert from '../support/assert.ts';
import type { Sink } from '../../kernel/contract/reply.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { Gate, probePlugin } from '../support/probe.ts';
import { selfSigned } from '../support/certificate.ts';
import { temporaryFolder } from '../support/folder.ts';
import { TestServer } from '../support/hostkeep.ts';
import { freePort } from '../support/port.ts';
import { rawConnection, rawRequest } from '../support/raw.ts';
import { testSuite } from '../support/suite.ts';
import { LIMIT_MS, until } from '../support/until.ts';

const test = testSuite('server');
const sinks: Sink[] = [];
let server: TestServer;
let gate = new Gate();
test.before(async () => {
  gate = new Gate();
  server = await TestServer.start({ plugins: [probePlugin(gate, sinks)] });
  await server.hostkeep.core.plans.create('empty', {}, []);
});

const raw = (text: string) => rawRequest(server.hostkeep.url('user'), text);

// asvs 3.5.4: a token of one address is refused on the other, which is another origin
// asvs 7.2.1-3: tokens are verified by the server, signed, and have a session behind them
// asvs 9.1.1: unsigned and changed tokens are refused
// asvs 9.2.2-4: a token of the other role is refused
test('one answer for every token that is not good', async () => {
  const { token } = await server.user('alba');
  const [head = '', payload = '', signature = ''] = token.split('.');
  const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
  const admin = await server.admin('alba-root');
  const bad = [
    '',
    'Bearer',
    'Bearer ',
    'Basic YTpi',
    `Bearer ${token}x`,
    `Bearer ${head}.${payload}.`,
    `Bearer ${none}.${payload}.`,
    `Bearer ${none}.${payload}.${signature}`,
    `Bearer ${'a'.repeat(3000)}.b.c`,
    `Bearer ${token} ${token}`,
    `Token ${token}`,
    `Bearer ${admin.token}`,
  ];
  for (const authorization of bad) {
    const { status, headers, body } = await server.ask('/probe/mine', { headers: { authorization } });
    assert.is(status, 401, authorization);
    assert.is(headers.get('www-authenticate'), 'Bearer');
    assert.is(body['error'], 'authentication_required');
    assert.is(body['detail'], 'a valid bearer token is needed');
  }
  assert.is((await server.ask('/probe/admin', { token, address: 'admin' })).status, 401);
  assert.equal((await server.ask('/probe/mine', { token })).body, { username: 'alba' });
  assert.equal((await server.ask('/probe/mine', { headers: { authorization: `bearer ${token}` } })).body, {
    username: 'alba',
  });
});

test('a cached token is rejected once it has expired', async () => {
  const { sessions } = server.hostkeep.core;
  const { token } = await server.user('ella');
  for (let i = 0; i < 2; i += 1) assert.is((await server.ask('/probe/mine', { token })).status, 200);
  const session = sessions.remembered(`Bearer ${token}`);
  assert.ok(session !== undefined && (await sessions.isAlive(session)), 'the token is remembered');
  const real = Date.now;
  const expiresAt = real() + sessions.ttlSeconds * 1000;
  try {
    Date.now = () => expiresAt;
    assert.not.ok(await sessions.isAlive(session));
    const { status, body } = await server.ask('/probe/mine', { token });
    assert.equal([status, body['error']], [401, 'authentication_required']);
    assert.is((await server.ask('/probe/mine', { token })).status, 401, 'also at a second attempt');
  } finally {
    Date.now = real;
  }
});

test('a 403 names the missing feature', async () => {
  const { token } = await server.user('bert', 'empty');
  const refused = await server.ask('/probe/gated', { token });
  assert.is(refused.status, 403);
  assert.is(refused.headers.get('content-type'), 'application/problem+json');
  assert.is(refused.body['error'], 'feature_disabled');
  assert.is(refused.body['feature'], 'dns');
  const { accounts } = server.hostkeep.core;
  await accounts.setFeature('bert', 'pm2', true);
  assert.is((await server.ask('/probe/gated', { token })).status, 403);
  assert.is((await server.ask('/probe/either', { token })).body['feature'], 'waf');
  await accounts.setFeature('bert', 'waf', true);
  assert.is((await server.ask('/probe/either', { token })).status, 200);
});

// threat docker-proxied: only declared routes exist
test('paths, methods and hosts that nobody declared are refused', async () => {
  assert.is((await server.ask('/probe')).body['error'], 'not_found');
  assert.is((await server.ask('/probe/mine/')).status, 404);
  assert.is((await server.ask('/probe/%6dine')).status, 404);
  for (const method of ['GET', 'DELETE', 'PATCH', 'OPTIONS']) {
    const { status, headers } = await server.ask('/probe/echo', { method });
    assert.is(status, 405, method);
    assert.is(headers.get('allow'), 'POST, PUT');
  }
  assert.is((await server.ask('/probe/mine', { method: 'POST' })).headers.get('allow'), 'GET, HEAD');
  assert.is((await server.ask('/probe/admin')).status, 404);
  assert.match(
    await rawRequest(server.hostkeep.url('admin'), 'GET /probe/open HTTP/1.1\r\nHost: evil.test\r\n\r\n'),
    /403 Forbidden[^]*host_not_allowed/,
  );
  assert.match(
    await rawRequest(server.hostkeep.url('admin'), 'GET /nowhere HTTP/1.1\r\nHost: evil.test\r\n\r\n'),
    /host_not_allowed/,
  );
  assert.match(
    await rawRequest(server.hostkeep.url('admin'), 'GET /probe/open HTTP/1.1\r\nHost: localhost:1\r\n\r\n'),
    /200 OK/,
  );
});

test('HEAD is GET without its body', async () => {
  const { status, headers, body } = await server.ask<string>('/probe/open', { method: 'HEAD' });
  assert.is(status, 200);
  assert.is(headers.get('content-length'), String(JSON.stringify({ word: 'hello' }).length));
  assert.is(body, '');
  const { token } = await server.user('heda');
  assert.is((await server.ask('/probe/mine', { method: 'HEAD' })).status, 401);
  for (let i = 0; i < 3; i += 1)
    assert.is(
      (await server.ask('/probe/mine', { method: 'HEAD', token })).status,
      200,
      'also where the token is remembered',
    );
  assert.is((await server.ask('/probe/echo', { method: 'HEAD' })).status, 405);
  for (const path of ['/probe/open', '/nowhere', '/probe/mine', '/probe/echo', '/probe/stream']) {
    const rest = 'GET /probe/query?n=7 HTTP/1.1\r\nHost: x\r\n\r\n';
    const text = await rawRequest(
      server.hostkeep.url('user'),
      `HEAD ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n${rest}`,
      (all) => all.includes('"n":7'),
    );
    assert.match(text, /^HTTP[^{}]+\r\n\r\nHTTP[^{}]+\r\n\r\n\{"n":7,"q":""\}$/, path);
  }
  assert.is(sinks.length, 0, 'no stream was opened');
});

test('a request whose length is ambiguous gets no answer, on any path', async () => {
  const inside = 'GET /probe/open HTTP/1.1\r\nHost: x\r\n\r\n';
  for (const target of [
    'POST /probe/echo',
    'PATCH /probe/echo',
    'GET /probe/open',
    'POST /nowhere',
    'OPTIONS /nowhere',
  ]) {
    for (const framing of [
      `Content-Length: 0\r\nContent-Length: ${inside.length}\r\n`,
      `Content-Length: ${inside.length}\r\nContent-Length: 0\r\n`,
      'Transfer-Encoding: gzip, chunked\r\n',
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n',
    ]) {
      const text = await raw(`${target} HTTP/1.1\r\nHost: x\r\n${framing}\r\n${inside}`);
      assert.is(text, '', `${target} ${framing}`);
    }
  }
});

// threat double-decoding: paths are decoded once, then checked
// asvs 1.1.1, 1.1.2: requests are decoded once, before validation; replies are encoded last
// asvs 15.3.7: duplicate query parameters are refused
test('queries and paths are decoded once and checked', async () => {
  for (const bad of [
    'n=x',
    'n=11',
    'n=',
    'n=1e309',
    'n=-1e309',
    'q=%zz',
    'q=%ff',
    'q=a&q=b',
    'q=a&%71=b',
    'other=1',
    'q=a&zzz',
  ])
    assert.is((await server.ask(`/probe/query?${bad}`)).body['error'], 'invalid_request', bad);
  assert.equal((await server.ask('/probe/query')).body, { q: '', n: 1 });
  assert.equal((await server.ask('/probe/query?q=a%2520b+c&n=7&')).body, { q: 'a%20b c', n: 7 });
  for (const name of ['toString', '__proto__'])
    assert.is((await server.ask(`/probe/query?${name}=1`)).body['error'], 'invalid_request', name);
  assert.is((await server.ask('/probe/items/x/y')).status, 400);
  assert.is((await server.ask('/probe/items/1/%ff')).status, 400);
  assert.equal((await server.ask('/probe/items/1/a%2Fb')).body, { id: 1, part: 'a/b' });
  assert.equal((await server.ask('/probe/items/1/%252e%252e%252Fb')).body, { id: 1, part: '%2e%2e%2Fb' });
  assert.match(
    await raw('GET /probe/rest/a/b%20c/%2e%2e/../x HTTP/1.1\r\nHost: x\r\n\r\n'),
    /\{"path":"a\/b c\/..\/..\/x"\}/,
  );
  assert.equal((await server.ask('/probe/rest/')).body, { path: '' });
});

// asvs 1.5.2: JSON.parse and a schema, nothing else
// asvs 3.5.2: bodies that are not application/json are refused
// asvs 15.3.3, 15.3.5, 15.3.6: on a test route, unknown members, __proto__ and values of other types are refused
test('bodies are bounded, JSON, and what the schema says', async () => {
  const post = (body: string, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
    server.ask('/probe/echo', { method: 'POST', body, headers });
  assert.is((await post('{}', { 'content-type': 'text/plain' })).status, 415);
  assert.is((await post('{}', { 'content-type': 'application/jsonx' })).status, 415);
  for (const bad of ['{', '"\u0000', '{"text":"a"}x']) assert.is((await post(bad)).body['error'], 'invalid_json', bad);
  const missing = await post('');
  assert.equal([missing.status, missing.body['detail']], [400, 'body is missing: send JSON']);
  const form = await raw(
    'GET /probe/query?q=a HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 3\r\n\r\nq=b',
  );
  assert.match(form, /^HTTP\/1.1 400 [^]*a GET request takes no body: send its values in the query of the URL/);
  const bytes = await fetch(`${server.hostkeep.url('user')}/probe/echo`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{"text":"\xff"}', 'latin1'),
  });
  assert.is(((await bytes.json()) as { error: string }).error, 'invalid_json', 'not UTF-8');
  const misfit = await post('{"text":"a","__proto__":{}}');
  assert.is(misfit.body['error'], 'invalid_request');
  assert.equal(misfit.body['errors'], [{ path: '/__proto__', message: 'is not known here' }]);
  for (const bad of [
    '[]',
    'null',
    '{"text":1}',
    '{"times":2}',
    '{"text":"a","times":1.5}',
    `{"text":"${'a'.repeat(101)}"}`,
  ])
    assert.is((await post(bad)).status, 400, bad);
  assert.is((await post(`{"text":"${'a'.repeat(70_000)}"}`)).status, 413);
  assert.is((await post('{"text":"a"}'.padEnd(64 * 1024 + 1))).status, 413);
  assert.is((await post('{"text":"a"}'.padEnd(64 * 1024))).status, 201);
  const announced =
    'POST /probe/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 65537\r\n\r\n';
  assert.match(await raw(announced), /413 Payload Too Large/, 'without waiting for the first byte');
  const good = await post('{"text":"ä"}', { 'content-type': 'Application/JSON; charset=utf-8' });
  assert.is(good.status, 201);
  assert.equal(good.body, { text: 'ä' });
});

test('a refusal names all faults, each at its member and in plain words', async () => {
  const query = await server.ask('/probe/query?n=x&z=1&q=a');
  assert.equal(query.body['errors'], [
    { path: '/z', message: 'is not known here' },
    { path: '/n', message: 'must be a whole number' },
  ]);
  const headers = { 'content-type': 'application/json' };
  const body = { text: 5, times: 1.5, more: 1 };
  const sent = await server.ask('/probe/echo', { method: 'POST', body, headers });
  const { errors } = sent.body as unknown as { errors: { path: string }[] };
  assert.equal(
    errors.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    [
      { path: '/more', message: 'is not known here' },
      { path: '/text', message: 'must be text, and is a number' },
      { path: '/times', message: 'must be a whole number, and is a number' },
    ],
  );
});

test('every reply has the id of its request, and none a banner', async () => {
  const ids = new Set<string>();
  for (const path of ['/probe/query', '/probe/query', '/probe/query?n=x', '/nowhere']) {
    const { headers, body } = await server.ask(path);
    const id = headers.get('x-request-id') ?? '';
    assert.match(id, /^[\da-z]{7}-[\da-z]{8}$/);
    assert.is(headers.get('uwebsockets'), null);
    if (body['error'] !== undefined) assert.is(body['request_id'], id, path);
    ids.add(id);
  }
  assert.is(ids.size, 4);
});

// threat filtered-post-only: the token is checked before the body is read
test('the gate is asked before the body is judged', async () => {
  const { token } = await server.user('gabi', 'empty');
  assert.is(
    (await server.ask('/probe/echo', { method: 'PUT', body: '{', headers: { 'content-type': 'application/json' } }))
      .status,
    401,
  );
  assert.is((await server.ask('/probe/echo', { method: 'PUT', body: '{', token })).status, 403);
});

test('an unread body does no harm, even if it is too large or cut off', async () => {
  const head = 'PUT /probe/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
  assert.match(await raw(`${head}Content-Length: 200000\r\n\r\n${'a'.repeat(200_000)}`), /401 Unauthorized/);
  assert.match(
    await raw(`${head}Transfer-Encoding: chunked\r\n\r\n${`4000\r\n${'a'.repeat(0x4000)}\r\n`.repeat(6)}`),
    /401 Unauthorized/,
  );
  const broken = await rawConnection(server.hostkeep.url('user'));
  broken.write(`${head.replace('PUT', 'POST')}Content-Length: 1000\r\n\r\n{`);
  const again = await rawConnection(server.hostkeep.url('user'));
  broken.destroy();
  again.destroy();
  assert.is((await server.ask('/probe/open')).status, 200);
});

test('chunked bodies are limited while they arrive', async () => {
  const chunk = `4000\r\n${'a'.repeat(0x4000)}\r\n`;
  const text = await raw(
    `POST /probe/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(5)}0\r\n\r\n`,
  );
  assert.match(text, /413 Payload Too Large[^]*Connection: close/i, 'the rest of the body is not awaited');
  const good = await raw(
    'POST /probe/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"tex\r\n7\r\nt":"a"}\r\n0\r\n\r\n',
  );
  assert.match(good, /201 Created[^]*\{"text":"a"\}/);
});

// threat header-injection: control characters are refused in reply headers
// asvs 1.2.1: reply headers with control characters are never written
test('a reply header with control characters is never written', async () => {
  const { status, headers, body } = await server.ask('/probe/header?value=a%0d%0aSet-Cookie:%20x=1');
  assert.is(status, 500);
  assert.is(body['error'], 'internal_error');
  assert.is(headers.get('set-cookie'), null);
  assert.is((await server.ask(`/probe/header?value=${encodeURIComponent('ä')}`)).status, 500, 'only ASCII');
  const good = await server.ask('/probe/header?value=a', { headers: { 'x-echo': 'hi' } });
  assert.is(good.headers.get('x-value'), 'a');
  assert.equal(good.body, { echo: 'hi' });
});

// threat oversized-replies: no reply holds more than 16 MiB, whoever asks for it
test('a reply beyond 16 MiB is refused instead of sent', async () => {
  const limit = 16 * 1024 * 1024;
  const ask = (characters: number, of: string, asBytes: boolean, method = 'GET') =>
    server.ask(`/probe/large?characters=${characters}&of=${encodeURIComponent(of)}&asBytes=${asBytes}`, { method });
  for (const asBytes of [false, true]) {
    for (const of of ['x', 'ä', '€']) {
      const most = (limit - 2) / Buffer.byteLength(of);
      assert.is((await ask(Math.floor(most), of, asBytes)).status, 200, of);
      for (const method of ['GET', 'HEAD']) {
        const { status, body } = await ask(Math.floor(most) + 1, of, asBytes, method);
        assert.equal([status, body['error']], [507, method === 'GET' ? 'reply_too_large' : undefined], of);
      }
    }
  }
});

// threat leaked-secrets: errors contain a code and a request id, never the cause
// asvs 16.5.1: errors contain a code and a request id; the cause stands in the log
test('errors tell the client what to do and never why the server failed', async () => {
  for (const how of ['now', 'later', 'undeclared header']) {
    const { status, body } = await server.ask(`/probe/fails?how=${how}`);
    assert.is(status, 500);
    assert.not.match(JSON.stringify(body), /secret/);
    assert.type(body['request_id'], 'string');
  }
  const busy = await server.ask('/probe/fails?how=busy');
  assert.is(busy.status, 503);
  assert.is(busy.headers.get('retry-after'), '2');
  assert.equal(Object.keys(busy.body), ['type', 'title', 'status', 'detail', 'error', 'request_id']);
  await server.with().asks('GET /probe/misfit', 500); // a reply that its schema does not describe is found in tests
});

// threat unhandled-errors: an error ahead of the handler is answered, because uWebSockets.js would end the process
test('an error before the route is reached is 500', async () => {
  const { revision } = server.hostkeep.core;
  const { token } = await server.user('lola');
  revision.look = () => {
    throw new Error('secret cause');
  };
  try {
    const { status, body } = await server.ask('/probe/mine', { token });
    assert.equal([status, body['error']], [500, 'internal_error']);
  } finally {
    Reflect.deleteProperty(revision, 'look');
  }
  assert.is((await server.ask('/probe/mine', { token })).status, 200);
});

// asvs 3.4.4, 14.3.2: nosniff on every reply, no-store unless the reply says otherwise
test('bytes keep their type and their own cache rule; every reply says nosniff', async () => {
  const { headers } = await server.ask('/probe/bytes');
  assert.is(headers.get('content-type'), 'image/png');
  assert.is(headers.get('cache-control'), 'private');
  assert.is(headers.get('x-content-type-options'), 'nosniff');
  assert.is((await server.ask('/probe/open')).headers.get('cache-control'), 'no-store');
  assert.is((await server.ask('/probe/open')).headers.get('access-control-allow-origin'), null);
});

test('a head that comes in two segments may have 16 KiB', async () => {
  const inTwo = async (letters: number) => {
    const socket = await rawConnection(server.hostkeep.url('user'));
    const received = text(socket);
    socket.write(`GET /probe/rest/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-A: ${'a'.repeat(letters)}`);
    for (let i = 0; i < 3; i += 1) await raw('GET /probe/rest/a HTTP/1.1\r\nHost: x\r\n\r\n'); // it has read the first one
    if (socket.writable) socket.end('\r\n\r\n'); // it may have been refused before
    return (await received).slice(9, 12);
  };
  assert.is(await inTwo(12_000), '200');
  assert.is(await inTwo(20_000), '431');
});

test('pipelined requests are answered in their order', async () => {
  const one = 'GET /probe/query?n=1 HTTP/1.1\r\nHost: x\r\n\r\n';
  const text = await rawRequest(
    server.hostkeep.url('user'),
    one + one.replace('n=1', 'n=2') + one.replace('n=1', 'n=3'),
    (all) => all.includes('"n":3'),
  );
  assert.equal(
    [...text.matchAll(/"n":(\d)/g)].map(([, n]) => n),
    ['1', '2', '3'],
  );
});

test('a request behind a slow one closes the connection and costs nobody else', async () => {
  const held = new Gate();
  const other = await TestServer.start({ plugins: [probePlugin(held)] });
  const url = other.hostkeep.url('user');
  const [slow, quick] = ['/probe/wait', '/probe/open'].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  assert.is(await rawRequest(url, `${slow}${quick}`), '');
  assert.ok(held.aborted, 'the handler knows');
  const all = await rawRequest(
    url,
    `${quick}${quick}${quick}`,
    (text) => text.split('HTTP/1.1 200 OK').length === 4 && text.endsWith('}'),
  );
  assert.is(all.split('"word":"hello"').length, 4);
  held.open();
});

test('a handler learns that its client left, and its late answer does no harm', async () => {
  for (const path of ['/probe/wait', '/probe/linger']) {
    const held = new Gate();
    const other = await TestServer.start({ plugins: [probePlugin(held)] });
    const { token } = await other.user('abel');
    assert.is((await other.ask('/probe/mine', { token })).status, 200, 'the token is remembered now');
    const socket = await rawConnection(other.hostkeep.url('user'));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    await held.entered;
    assert.not.ok(held.aborted, 'the client is there');
    socket.destroy();
    await until('the handler knows', () => held.aborted);
    held.open();
    await other.close();
  }
});

test('a stopping server answers accepted requests and accepts no new ones', async () => {
  const held = new Gate();
  const other = await TestServer.start({ plugins: [probePlugin(held)] });
  const { port } = new URL(other.hostkeep.url('user'));
  const broken = await rawConnection(other.hostkeep.url('user'));
  broken.write('POST /probe/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{');
  const lost = await rawConnection(other.hostkeep.url('user'));
  const waiting = rawRequest(other.hostkeep.url('user'), 'GET /probe/wait HTTP/1.1\r\nHost: x\r\n\r\n');
  await held.entered;
  const closed = other.close();
  await new Promise((resolve) => setImmediate(resolve)); // by then, the listener is closed
  const refused = connect(Number(port), '127.0.0.1');
  const [error] = (await once(refused, 'error')) as [NodeJS.ErrnoException];
  assert.is(error.code, 'ECONNREFUSED');
  lost.write('GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n');
  assert.match((await lost.toArray()).map(String).join(''), /404 Not Found[^]*Connection: close/i);
  held.open();
  assert.match(await waiting, /200 OK[^]*Connection: close[^]*"waited":true/i);
  broken.write('!');
  const refusal = (await broken.toArray()).map(String).join('');
  assert.match(refusal, /400 Bad Request[^]*Connection: close[^]*"invalid_json"/i);
  await closed;
});

// threat immortal-tokens: a stream ends with its session
test('a stream ends with its session, and that of a guest goes on', async () => {
  const { account, token } = await server.user('stella');
  const guest = await rawConnection(server.hostkeep.url('user'));
  guest.write('GET /probe/feed HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(guest, 'data');
  const response = await fetch(`${server.hostkeep.url('user')}/probe/stream`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const reader = response.body?.getReader();
  assert.match(Buffer.from((await reader?.read())?.value ?? []).toString(), /data: first/);
  assert.is(sinks.length, 2);
  await server.hostkeep.core.sessions.endOthers(account, '', '');
  assert.is((await reader?.read())?.done, true);
  assert.is(sinks.length, 1);
  guest.destroy();
  while (sinks.length > 0) await new Promise((resolve) => setImmediate(resolve));
});

test('a stream ends with its client', async () => {
  const { token } = await server.user('sven');
  for (const kind of ['a new token', 'a remembered token']) {
    const stop = new AbortController();
    await fetch(`${server.hostkeep.url('user')}/probe/stream`, {
      headers: { authorization: `Bearer ${token}` },
      signal: stop.signal,
    });
    assert.is(sinks.length, 1, kind);
    stop.abort();
    while (sinks.length > 0) await new Promise((resolve) => setImmediate(resolve));
  }
});

test('the address of a client comes from trusted proxies only', async () => {
  assert.equal((await server.ask('/probe/ip', { headers: { 'x-forwarded-for': '203.0.113.1' } })).body, {
    ip: '127.0.0.1',
  });
});

// threat weak-limiter: all X-Forwarded-For headers count in their order, and a proxy may have to prove itself
test('behind a trusted proxy the last hop of all X-Forwarded-For headers is the client', async () => {
  const secret = 'a-secret-of-the-proxy';
  const start = (config: Record<string, unknown>) =>
    TestServer.start({ plugins: [probePlugin()], config: { trusted_proxies: ['127.0.0.0/8'], ...config } });
  const [behind, proven] = await Promise.all([start({}), start({ proxy_secret: secret })]);
  const ask = async (of: TestServer, path: string, ...headers: string[]) => {
    const lines = [`GET ${path} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');
    return /\{"ip":"(.*)"\}/.exec(await rawRequest(of.hostkeep.url('user'), lines))?.[1];
  };
  const hop = (text: string) => `X-Forwarded-For: ${text}`;
  const proof = (text: string) => `X-Proxy-Secret: ${text}`;
  for (const path of ['/probe/ip', '/probe/ip?later=true']) {
    assert.is(await ask(behind, path, hop('6.6.6.6, 203.0.113.1')), '203.0.113.1', path);
    assert.is(await ask(behind, path, hop('6.6.6.6'), 'Accept: x', hop('203.0.113.1')), '203.0.113.1', path);
    assert.is(await ask(behind, path, hop('203.0.113.1:70'), hop('127.0.0.2')), '203.0.113.1', path);
    assert.is(await ask(behind, path), '127.0.0.1', path);
    assert.is(await ask(proven, path, hop('203.0.113.1'), proof(secret)), '203.0.113.1', path);
    assert.is(await ask(proven, path, proof(secret)), '127.0.0.1', path);
    for (const forged of [[], [proof('')], [proof(`${secret}!`)], [proof(secret), proof(secret)]])
      assert.is(await ask(proven, path, hop('203.0.113.1'), ...forged), '127.0.0.1', `${path} ${forged.join()}`);
  }
  await Promise.all([behind.close(), proven.close()]);
});

test('in the community edition the end-user address is closed on every route', async () => {
  const community = await TestServer.start({ plugins: [probePlugin()], config: { edition: 'community' } });
  for (const path of ['/probe/open', '/probe/mine', '/nowhere'])
    assert.is((await community.ask(path)).body['error'], 'edition_required');
  assert.is((await community.ask('/probe/open', { address: 'admin' })).status, 200);
});

// asvs 3.4.1: HSTS is sent over HTTPS with tls.hsts_seconds
// asvs 12.2.1, 12.2.2: with tls.cert both addresses speak HTTPS
test('with a certificate both addresses speak HTTPS', async () => {
  const { cert, key } = selfSigned('localhost');
  const secure = await TestServer.start({
    plugins: [probePlugin()],
    config: { tls: { cert, key, hsts_seconds: 3600 } },
  });
  for (const address of ['user', 'admin'] as const) {
    assert.match(secure.hostkeep.url(address), /^https:/);
    const request = get(`${secure.hostkeep.url(address)}/probe/open`, {
      ca: readFileSync(cert),
      servername: 'localhost',
      agent: false,
    });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    assert.is(response.statusCode, 200);
    assert.is(response.headers['strict-transport-security'], 'max-age=3600');
    response.resume();
    await once(response, 'end');
  }
  await secure.close();
  const plain = await TestServer.start({
    plugins: [probePlugin()],
    config: { tls: { cert: '', key: '', hsts_seconds: 3600 } },
  });
  assert.is(
    (await plain.ask('/probe/open')).headers.get('strict-transport-security'),
    null,
    'over plain HTTP it would mean nothing',
  );
});

test('two servers do not share a port', async () => {
  const { port } = new URL(server.hostkeep.url('user'));
  const error = await TestServer.start({ plugins: [probePlugin()], config: { listen: `127.0.0.1:${port}` } }).then(
    () => undefined,
    (cause: Error) => cause,
  );
  assert.match(error?.message ?? '', /cannot listen on 127.0.0.1:\d+; is another program using the port\?/);
});

// threat stolen-port: a program that holds the port for the server's user lets nobody else listen there
test("a port held for the server's user is free until somebody listens", async () => {
  const port = await freePort();
  const folder = temporaryFolder();
  // Stands for systemd, which keeps what it is given.
  writeFileSync(join(folder, 'systemd-notify'), '#!/bin/sh\necho "$@"\nexec sleep 60\n', { mode: 0o755 });
  const holding = spawn('perl', [join(projectDir, 'config/package/debian/hold-ports'), `127.0.0.1:${port}`], {
    env: { PATH: `${folder}:${process.env['PATH']}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [given] = (await once(holding.stdout, 'data', { signal: AbortSignal.timeout(LIMIT_MS) })) as [Buffer];
    assert.match(given.toString(), /^FDPOLL=0 --fdname=held( --fd=\d+){2}$/m);
    for (const host of ['127.0.0.1', '::1', '0.0.0.0', '::']) {
      const squatter = createServer().listen(port, host);
      const [error] = (await once(squatter, 'error', { signal: AbortSignal.timeout(LIMIT_MS) })) as [
        NodeJS.ErrnoException,
      ];
      assert.is(error.code, 'EADDRINUSE', host);
    }
    const holder = await TestServer.start({ plugins: [probePlugin()], config: { listen: `127.0.0.1:${port}` } });
    assert.is((await holder.ask('/probe/open')).status, 200);
    const second = TestServer.start({ plugins: [probePlugin()], config: { listen: `127.0.0.1:${port}` } });
    assert.match((await second.then(String, String)) as string, /is another program using the port/);
    await holder.close();
  } finally {
    holding.kill('SIGKILL');
  }
});

test('a reloaded configuration replaces the old one, unless it is invalid', async () => {
  const opened: Sink[] = [];
  const other = await TestServer.start({ plugins: [probePlugin(new Gate(), opened)] });
  const { hostkeep } = other;
  const { token } = await other.user('rita');
  const stream = await fetch(`${other.hostkeep.url('user')}/probe/stream`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const kept = hostkeep.node.config;
  const failure = await hostkeep.reconfigure({ ...kept, sections: { probe: { word: 5 } } }).then(
    () => undefined,
    (cause: Error) => cause,
  );
  assert.match(failure?.message ?? '', /probe.word must be string/);
  assert.is(opened.length, 1);
  assert.equal((await other.ask('/probe/open')).body, { word: 'hello' });
  const polls = Array.from({ length: 20 }, () => other.ask('/probe/open'));
  await hostkeep.reconfigure({ ...kept, sections: { probe: { word: 'changed' } } });
  assert.is(opened.length, 0, 'streams of the old configuration end');
  assert.match(await stream.text(), /data: first/);
  for (const { status } of await Promise.all(polls)) assert.is(status, 200);
  assert.equal((await other.ask('/probe/open')).body, { word: 'changed' });
  await hostkeep.reconfigure({ ...kept, plugins: { probe: false } });
  assert.is((await other.ask('/probe/open')).status, 404);
  await hostkeep.reconfigure({ ...kept, edition: 'community' });
  assert.is((await other.ask('/probe/open')).body['error'], 'edition_required');
  await hostkeep.reconfigure(kept);
  assert.equal((await other.ask('/probe/open')).body, { word: 'hello' });
});

test("errors use the account's language, otherwise the client's", async () => {
  const title = async (path: string, language: string, options: { token?: string; method?: string } = {}) =>
    (await server.ask(path, { ...options, headers: { 'accept-language': language } })).body['title'];
  const english = 'Authentication required';
  const table: readonly [header: string, expected: string][] = [
    ['', english],
    ['it', english],
    ['de', 'Anmeldung erforderlich'],
    ['DE-at', 'Anmeldung erforderlich'],
    ['it-IT, de;q=0.3, fr;q=0.2', 'Anmeldung erforderlich'],
    ['en;q=0.1, de; q=0.9', 'Anmeldung erforderlich'],
    ['de;q=0, en;q=0.1', english],
    ['*, de;q=0.5', english],
    ['de;q=2', english],
    [`${'x'.repeat(600)},de`, english],
    ['../../de', english],
    ['__proto__', english],
  ];
  for (const [header, expected] of table) assert.is(await title('/probe/mine', header), expected, header);
  assert.is(await title('/nowhere', 'de'), 'Nicht gefunden');
  assert.is(await title('/probe/mine', 'de', { method: 'DELETE' }), 'Methode nicht erlaubt');
  const { account, token } = await server.user('berthe', 'empty');
  assert.is(await title('/probe/gated', 'de', { token }), 'Feature not available on this plan');
  await server.hostkeep.core.accounts.update(account.username, { locale: 'fr' });
  const french = server.hostkeep.core.locales.errorTitle('fr', 'feature_disabled');
  assert.is.not(french, 'Feature not available on this plan');
  assert.is(await title('/probe/gated', 'de', { token }), french);
  const { detail } = (await server.ask('/probe/gated', { token })).body;
  assert.match(String(detail), /^il manque au compte la fonction /);
  const own = await server.hostkeep.core.accounts.get(account.username);
  const wanted = { name: 'script', scopes: ['probe:read'], networks: [], expiresAt: Date.now() + 60_000 };
  const { token: script } = await server.hostkeep.core.tokens.make(own, wanted, '');
  for (const _ of ['first', 'remembered']) {
    assert.is(await title('/probe/gated', '', { token: script }), 'Feature not available on this plan');
    assert.is(await title('/probe/gated', 'fr', { token: script }), french, 'if it is asked for');
  }
});
