/** Certificate authorities that are slow, want a pause, or lie. */
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:https';
import * as assert from '../../support/assert.ts';
import { newPrivateKey } from '../../../kernel/kit/net/x509.ts';
import { AcmeClient } from '../../../plugins/certificates/acme/acme-client.ts';
import { AcmeFailure } from '../../../plugins/certificates/acme/acme-failure.ts';
import { AccountKey } from '../../../plugins/certificates/acme/signed-request.ts';
import { selfSigned, signedBy } from '../../support/certificate.ts';
import { garbageCollector } from '../../support/garbage.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('certificate authorities');
const NAME = 'shop.example';
const LIMIT_MS = 200;
/** For an authority that answers, on a busy machine too. */
const ENOUGH_MS = 30_000;
const ERROR = 'urn:ietf:params:acme:error:';

/** What the authority says to a path: a status, an object, and headers; `undefined` for nothing at all. */
type Said = readonly [status: number, body?: object | string, headers?: Record<string, string>] | undefined;
type Says = Readonly<Record<string, (asked: number) => Said>>;

const authority = selfSigned('Some CA');
const own = signedBy(authority, 'IP:127.0.0.1');
let server: Server;
let base = '';
let says: Says = {};
/** How often each path was asked for. */
const asked = new Map<string, number>();

test.before(async () => {
  const files = { cert: readFileSync(own.cert), key: readFileSync(own.key) };
  server = createServer(files, ({ url = '' }, response) => {
    const count = (asked.get(url) ?? 0) + 1;
    asked.set(url, count);
    const answer = { ...honest, ...says }[url] ?? (() => [404] as const);
    const said = answer(count);
    if (said === undefined) return;
    const [status, body = {}, headers = {}] = said;
    response.writeHead(status, { 'content-type': 'application/json', 'replay-nonce': `n${count}`, ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
test.after(() => {
  server.closeAllConnections();
  server.close();
});

const at = (path: string) => base + path;
const honest: Says = {
  '/': () => [200, { newNonce: at('/nonce'), newAccount: at('/account'), newOrder: at('/order') }],
  '/nonce': () => [200],
  '/account': () => [201, {}, { location: at('/account/1') }],
  '/order': () => [201, { authorizations: [at('/proof')] }, { location: at('/order/1') }],
  '/proof': () => [200, { identifier: { type: 'dns', value: NAME }, status: 'valid' }],
  '/order/1': () => [200, { status: 'valid', certificate: at('/certificate') }],
  '/certificate': () => [200, 'PEM', { 'content-type': 'application/pem-certificate-chain' }],
};

/** Resolves with the certificate that such an authority gives, or with the failure. */
async function order(
  saying: Says,
  signal = new AbortController().signal,
  timeoutMs = ENOUGH_MS,
): Promise<string | AcmeFailure> {
  says = saying;
  asked.clear();
  const from = { directory: at('/'), ca: readFileSync(authority.cert, 'utf8'), timeoutMs };
  const client = new AcmeClient(from, new AccountKey(newPrivateKey()), '');
  return client.order([NAME], newPrivateKey(), signal).catch((error: unknown) => {
    if (error instanceof AcmeFailure) return error;
    throw error;
  });
}

async function failureOf(saying: Says, timeoutMs = ENOUGH_MS): Promise<AcmeFailure> {
  const failure = await order(saying, new AbortController().signal, timeoutMs);
  if (!(failure instanceof AcmeFailure)) throw new Error(`it gives ${failure}`);
  return failure;
}

test('an honest one gives a certificate', async () => {
  assert.is(await order({}), 'PEM');
});

test('one that says nothing is given up after the time of an answer', async () => {
  for (const path of Object.keys(honest))
    assert.match(
      (await failureOf({ [path]: () => undefined }, LIMIT_MS)).message,
      new RegExp(`timed out after ${LIMIT_MS} ms`),
    );
});

test('it is given up though memory is collected meanwhile', async () => {
  const collecting = setInterval(garbageCollector(), LIMIT_MS / 10);
  const failure = await failureOf({ '/': () => undefined }, LIMIT_MS).finally(() => clearInterval(collecting));
  assert.match(failure.message, /timed out/);
});

test('one that wants a pause names it, or gets an hour', async () => {
  const limited = (status: number, headers: Record<string, string> = {}) =>
    failureOf({ '/order': () => [status, { type: `${ERROR}rateLimited`, detail: 'too many orders' }, headers] });
  const named = await limited(429, { 'retry-after': '120' });
  assert.equal([named.message, named.pauseMs], ['too many orders', 120_000]);
  assert.is((await limited(429)).pauseMs, 3_600_000);
  assert.is((await limited(403)).pauseMs, 3_600_000, 'by the type of the problem');
  assert.is((await failureOf({ '/order': () => [403, { detail: 'no' }] })).pauseMs, 0);
});

test('a refused nonce is replaced, but not for ever', async () => {
  const refused: Said = [400, { type: `${ERROR}badNonce`, detail: 'a nonce that I do not know' }];
  const honestly = honest['/order'] as () => Said;
  assert.is(await order({ '/order': (count) => (count < 3 ? refused : honestly()) }), 'PEM');
  assert.match((await failureOf({ '/order': () => refused })).message, /a nonce that I do not know/);
  assert.is(asked.get('/order'), 10);
});

test('no other address than its own is asked', async () => {
  for (const elsewhere of ['https://localhost:1/x', base.replace('https', 'http'), 'file:///etc/passwd', 'x', ''])
    for (const saying of [
      { '/': () => [200, { newNonce: at('/nonce'), newAccount: at('/account'), newOrder: elsewhere }] },
      { '/order/1': () => [200, { status: 'valid', certificate: elsewhere }] },
      { '/order': () => [201, { authorizations: [elsewhere] }, { location: at('/order/1') }] },
    ] satisfies Says[])
      assert.match((await failureOf(saying)).message, /names an address that is not its own/, elsewhere);
});

test('what it says is bounded, of the domain, and plain text', async () => {
  const proof = (of: object): Says => ({
    '/proof': () => [200, { identifier: { type: 'dns', value: NAME }, status: 'pending', ...of }],
  });
  const challenge = { type: 'http-01', url: at('/challenge'), token: 'a'.repeat(16) };
  for (const [saying, reason] of [
    [{ '/certificate': () => [200, 'x'.repeat(300_000)] }, /its answer is too large/],
    [proof({ identifier: { type: 'dns', value: 'other.example' } }), /a name that was not ordered/],
    [proof({ challenges: [{ ...challenge, token: '../../etc/passwd/.' }] }), /offers no proof by HTTP/],
    [proof({ challenges: [{ type: 'dns-01' }, null, 'x'] }), /offers no proof by HTTP/],
    [
      { ...proof({ challenges: [challenge], status: 'invalid' }), '/challenge': () => [200] },
      /ends the order as invalid/,
    ],
    [{ '/order/1': () => [200, '[]'] }, /ends the order as undefined/],
    [{ '/order/1': () => [200, '{'] }, /ends the order as undefined/],
    [{ '/nonce': () => [200, {}, { 'replay-nonce': '' }] }, /gives no nonce/],
    [{ '/order': () => [403, { detail: `a\u001b[2J\u202eb\n${'c'.repeat(1000)}` }] }, /^a \[2J b c{492}$/],
  ] as const satisfies readonly (readonly [Says, RegExp])[])
    assert.match((await failureOf(saying)).message, reason);
});

test('an order ends with the server', async () => {
  const ending = new AbortController();
  const pending = () => [200, { status: 'pending' }] as const;
  const ordered = order(
    { '/order/1': (count) => (count === 2 ? void ending.abort(new Error('bye')) : pending()) },
    ending.signal,
  );
  await ordered.then(
    () => assert.unreachable('it goes on'),
    (error: unknown) => assert.match(String(error), /bye|abort/),
  );
});
