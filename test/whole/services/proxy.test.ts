/** The snippets of config/proxy, run by the programs that they are for. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import * as assert from '../../support/assert.ts';
import type { Sink } from '../../../kernel/contract/reply.ts';
import { allPlugins, PASSWORD, TestServer } from '../../support/hostkeep.ts';
import { probePlugin } from '../../support/probe.ts';
import { hasProxy, PROXIES, Proxy, type ProxyName } from '../../support/proxy.ts';
import { testSuite } from '../../support/suite.ts';

const SECRET = 'known to both, 0123456789'.replaceAll(' ', '_');
/** The client's address; the proxy's is 127.0.0.1. */
const CLIENT = '127.0.0.7';
const JSON_BODY = { 'content-type': 'application/json' };

const test = testSuite('proxies');
const sinks: Sink[] = [];
let server: TestServer;
const running = new Map<ProxyName, Promise<Proxy>>();

test.before(async () => {
  server = await TestServer.start({
    plugins: [...(await allPlugins()), probePlugin(undefined, sinks)],
    config: { trusted_proxies: ['127.0.0.1'], proxy_secret: SECRET },
  });
});
test.after(async () => {
  for (const proxy of running.values()) await (await proxy).stop();
  await server.close();
});

function started(name: ProxyName): Promise<Proxy> {
  const proxy = running.get(name) ?? Proxy.start(name, server.hostkeep.url('user'), SECRET);
  running.set(name, proxy);
  return proxy;
}

async function textOf(reply: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of reply) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function nextOf(reply: IncomingMessage): Promise<string> {
  return String(((await once(reply, 'data')) as [Buffer])[0]);
}

for (const name of PROXIES) {
  if (!hasProxy(name)) continue;

  test(`${name}: a login, with the address of the client and not one that it made up`, async () => {
    const proxy = await started(name);
    const username = `of-${name}`;
    await server.account(username);
    const forged = { 'x-forwarded-for': '198.51.100.1', 'x-proxy-secret': 'x'.repeat(SECRET.length) };
    const reply = await proxy.open(
      '/api/login',
      CLIENT,
      { method: 'POST', headers: { ...JSON_BODY, ...forged } },
      JSON.stringify({ username, password: PASSWORD }),
    );
    assert.is(reply.statusCode, 200);
    const { token } = JSON.parse(await textOf(reply)) as { token: string };
    const headers = { authorization: `Bearer ${token}` };
    const history = await textOf(await proxy.open('/api/account/login-history', CLIENT, { headers }));
    assert.match(history, `"ip":"${CLIENT}"`);
    assert.not.match(history, '198.51.100.1');
  });

  test(`${name}: a stream arrives event by event`, async () => {
    const proxy = await started(name);
    const reply = await proxy.open('/probe/feed', CLIENT);
    assert.is(await nextOf(reply), 'data: first\n\n');
    for (const event of ['data: second\n\n', 'data: third\n\n']) {
      sinks.at(-1)?.write(event); // that of the proxy before may not have ended yet
      assert.is(await nextOf(reply), event);
    }
    reply.destroy();
  });

  test(`${name}: a large upload ends at the proxy, and one that a route may take passes`, async () => {
    const proxy = await started(name);
    const upload = (length: number, sent: number) => {
      const headers = { ...JSON_BODY, 'content-length': length };
      return proxy.open('/api/login', CLIENT, { method: 'POST', headers }, Buffer.alloc(sent, ' '));
    };
    const large = await upload(200 * 1024, 1); // refused before the rest, which could meet a closed connection
    assert.is(large.statusCode, 413);
    assert.not.match(large.headers['content-type'] ?? '', 'problem');
    large.destroy();
    const small = await upload(60 * 1024, 60 * 1024);
    assert.is(small.statusCode, 400);
    small.destroy();
  });

  test(`${name}: plain HTTP leads to HTTPS`, async () => {
    const proxy = await started(name);
    const { status, headers } = await fetch(`http://127.0.0.1:${proxy.httpPort}/docs`, {
      redirect: 'manual',
      headers: { host: 'panel.example' },
    });
    assert.ok(status === 301 || status === 308);
    assert.match(headers.get('location') ?? '', /^https:\/\/.+\/docs$/);
  });
}
