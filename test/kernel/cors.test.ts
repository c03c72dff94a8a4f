import * as assert from '../support/assert.ts';
import { ConfigError } from '../../kernel/config/configuration.ts';
import type { Address } from '../../kernel/contract/route-spec.ts';
import type { Sink } from '../../kernel/contract/reply.ts';
import { testConfig, TestServer } from '../support/hostkeep.ts';
import { Gate, probePlugin } from '../support/probe.ts';
import { rawRequest } from '../support/raw.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('cors');
const PANEL = 'https://panel.example:8443';
const ADMIN_PANEL = 'http://127.0.0.1:5173';
const sinks: Sink[] = [];
let server: TestServer;
let token: string;
test.before(async () => {
  server = await TestServer.start({
    plugins: [probePlugin(new Gate(), sinks)],
    config: { cors_origins: ['https://other.example', PANEL], admin_cors_origins: [ADMIN_PANEL] },
  });
  token = (await server.user('cora')).token;
  await server.hostkeep.core.accounts.setFeature('cora', 'waf', false);
});

/** Sends a request. Resolves with the status and the CORS headers of the reply, their names in lower case. */
async function ask(
  request: string,
  origin: string | undefined,
  more = '',
  of = server,
  address: Address = 'user',
): Promise<{ status: number; cors: Record<string, string> }> {
  const text = await rawRequest(
    of.hostkeep.url(address),
    `${request} HTTP/1.1\r\nHost: localhost\r\n${origin === undefined ? '' : `Origin: ${origin}\r\n`}${more}\r\n`,
    (all) => all.includes('\r\n\r\n'),
  );
  const [first = '', ...lines] = (text.split('\r\n\r\n')[0] ?? '').split('\r\n');
  const headers = lines.map(
    (line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)] as const,
  );
  return {
    status: Number(first.split(' ')[1]),
    cors: Object.fromEntries(headers.filter(([name]) => name === 'vary' || name.startsWith('access-control-'))),
  };
}

const bearer = () => `Authorization: Bearer ${token}\r\n`;
const preflight = (method: string) =>
  `Access-Control-Request-Method: ${method}\r\nAccess-Control-Request-Headers: authorization\r\n`;
/** Requests for every kind of reply, and the status of each. */
const KINDS = (): readonly (readonly [number, string, string])[] => [
  [200, 'GET /probe/open', ''],
  [200, 'HEAD /probe/open', ''],
  [200, 'GET /probe/mine', bearer()],
  [200, 'GET /probe/mine', bearer()],
  [200, 'GET /probe/gated', bearer()],
  [200, 'GET /probe/bytes', ''],
  [200, 'GET /probe/header?value=a', ''],
  [200, 'GET /probe/stream', bearer()],
  [200, 'HEAD /probe/stream', bearer()],
  [401, 'GET /probe/mine', ''],
  [403, 'GET /probe/either', bearer()],
  [404, 'GET /nowhere', ''],
  [405, 'PATCH /probe/open', ''],
  [405, 'OPTIONS /probe/open', ''],
  [413, 'POST /probe/echo', 'Content-Type: application/json\r\nContent-Length: 70000\r\n'],
  [500, 'GET /probe/fails?how=now', ''],
  [500, 'GET /probe/fails?how=later', ''],
  [503, 'GET /probe/fails?how=busy', ''],
];

// threat open-usage-api: no other origin has access by default
test('nobody is let in unless configured', async () => {
  const plain = await TestServer.start({ plugins: [probePlugin()] });
  for (const address of ['user', 'admin'] as const) {
    assert.equal(await ask('GET /probe/open', PANEL, '', plain, address), { status: 200, cors: {} });
    assert.equal(await ask('GET /nowhere', PANEL, '', plain, address), { status: 404, cors: {} });
    assert.equal(await ask('OPTIONS /probe/open', PANEL, preflight('GET'), plain, address), { status: 405, cors: {} });
  }
});

test('a malformed origin stops the start with an error naming the setting', () => {
  const bad = [
    '*',
    'null',
    '',
    'panel.example',
    'https://',
    'https://*.example',
    'https://panel.example/',
    'https://panel.example/x',
    'https://Panel.example',
    'https://panel.example:443',
    'http://panel.example:80',
    'https://a@panel.example',
    'https://bücher.example',
    'ftp://panel.example',
    'file:///',
    'https://panel.example\r\nX: y',
    ' https://panel.example',
    'https://a.example, https://b.example',
  ];
  for (const setting of ['cors_origins', 'admin_cors_origins']) {
    for (const origin of bad) {
      assert.throws(
        () => testConfig('/nowhere', { [setting]: [PANEL, origin] }),
        (error: Error) =>
          error instanceof ConfigError &&
          error.message.startsWith(`test: ${setting}.1 ${JSON.stringify(origin)} is not an origin`),
        origin,
      );
    }
  }
  assert.throws(() => testConfig('/nowhere', { cors_origins: PANEL }), /cors_origins must be array/);
  assert.throws(
    () => testConfig('/nowhere', { cors_origins: ['https://bücher.example:443'] }),
    /write "https:\/\/xn--bcher-kva.example"/,
  );
});

// threat open-usage-api: only configured origins have access
// asvs 3.4.2, 3.5.1-3: configured origins only, tokens in a header instead of cookies, JSON bodies only
test('other origins, and those that only look alike, get no permission', async () => {
  const others = [
    'https://attacker.example',
    'http://panel.example:8443',
    'https://panel.example',
    'https://panel.example:84430',
    'https://x.panel.example:8443',
    'https://panel.example:8443.attacker.example',
    'HTTPS://PANEL.EXAMPLE:8443',
    `${PANEL}/`,
    `${PANEL}, https://attacker.example`,
    'null',
    '*',
    ADMIN_PANEL,
    undefined,
  ];
  for (const origin of others) {
    for (const [status, request, more] of KINDS())
      assert.equal(await ask(request, origin, more), { status, cors: { vary: 'Origin' } }, `${request} from ${origin}`);
    assert.equal(
      await ask('OPTIONS /probe/echo', origin, preflight('POST')),
      { status: 405, cors: { vary: 'Origin' } },
      origin,
    );
  }
  assert.equal(
    await ask('OPTIONS /probe/open', PANEL, preflight('GET'), server, 'admin'),
    { status: 405, cors: { vary: 'Origin' } },
    'the origin of the other address',
  );
});

test('an allowed origin may read every reply: values, bytes, streams and refusals', async () => {
  const cors = { vary: 'Origin', 'access-control-allow-origin': PANEL, 'access-control-expose-headers': '*' };
  for (const [status, request, more] of KINDS())
    assert.equal(await ask(request, PANEL, more), { status, cors }, request);
  assert.equal(await ask('GET /probe/open', 'https://other.example'), {
    status: 200,
    cors: { ...cors, 'access-control-allow-origin': 'https://other.example' },
  });
  assert.equal(await ask('GET /probe/open', ADMIN_PANEL, '', server, 'admin'), {
    status: 200,
    cors: { ...cors, 'access-control-allow-origin': ADMIN_PANEL },
  });
});

test('a preflight reply names the methods and headers of the path', async () => {
  const answer = {
    vary: 'Origin',
    'access-control-allow-origin': PANEL,
    'access-control-max-age': '600',
    'access-control-allow-headers': 'authorization, content-type, last-event-id',
  };
  assert.equal(await ask('OPTIONS /probe/echo', PANEL, preflight('PUT')), {
    status: 204,
    cors: { ...answer, 'access-control-allow-methods': 'POST, PUT' },
  });
  assert.equal(
    await ask('OPTIONS /probe/echo', PANEL, preflight('DELETE')),
    { status: 204, cors: { ...answer, 'access-control-allow-methods': 'POST, PUT' } },
    'the browser sees that it may not',
  );
  for (const path of ['/probe/mine', '/probe/items/1/x', '/probe/rest/a/b'])
    assert.equal(
      await ask(`OPTIONS ${path}`, PANEL, preflight('GET')),
      { status: 204, cors: { ...answer, 'access-control-allow-methods': 'GET, HEAD' } },
      path,
    );
  const { cors } = await ask('OPTIONS /probe/header', PANEL, preflight('GET'));
  assert.is(cors['access-control-allow-headers'], 'authorization, content-type, last-event-id, x-echo');
  assert.is((await ask('OPTIONS /nowhere', PANEL, preflight('GET'))).status, 404);
  assert.is((await ask('OPTIONS /probe/admin', PANEL, preflight('GET'))).status, 404, 'a path of the other address');
  const text = await rawRequest(
    server.hostkeep.url('user'),
    `OPTIONS /probe/echo HTTP/1.1\r\nHost: x\r\nOrigin: ${PANEL}\r\n${preflight('PUT')}\r\nGET /probe/open HTTP/1.1\r\nHost: x\r\n\r\n`,
    (all) => all.includes('hello'),
  );
  assert.match(
    text,
    /^HTTP\/1.1 204 No Content\r\n(?!content-length)[^]*\r\n\r\nHTTP\/1.1 200 OK/i,
    'the connection goes on',
  );
});

test('a foreign host and a closed address reject preflights', async () => {
  const text = await rawRequest(
    server.hostkeep.url('admin'),
    `OPTIONS /probe/open HTTP/1.1\r\nHost: evil.test\r\nOrigin: ${ADMIN_PANEL}\r\n${preflight('GET')}\r\n`,
  );
  assert.match(text, /403 Forbidden[^]*host_not_allowed/);
  const community = await TestServer.start({
    plugins: [probePlugin()],
    config: { edition: 'community', cors_origins: [PANEL] },
  });
  assert.is((await ask('OPTIONS /probe/open', PANEL, preflight('GET'), community)).status, 403);
});

test('origins change with the configuration, without a restart', async () => {
  const other = await TestServer.start({ plugins: [probePlugin()] });
  const { hostkeep } = other;
  const kept = hostkeep.node.config;
  await hostkeep.reconfigure({ ...kept, cors_origins: [PANEL] });
  assert.is((await ask('GET /probe/open', PANEL, '', other)).cors['access-control-allow-origin'], PANEL);
  assert.is((await ask('OPTIONS /probe/open', PANEL, preflight('GET'), other)).status, 204);
  await hostkeep.reconfigure(kept);
  assert.equal(await ask('GET /probe/open', PANEL, '', other), { status: 200, cors: {} });
  assert.is((await ask('OPTIONS /probe/open', PANEL, preflight('GET'), other)).status, 405);
});
