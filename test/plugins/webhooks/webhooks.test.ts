import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { mock } from 'node:test';
import * as assert from '../../support/assert.ts';
import { projectDir } from '../../../kernel/kit/files/project-dir.ts';
import { openCore } from '../../../kernel/run/core.ts';
import { createLog } from '../../../kernel/log.ts';
import { SqliteEngine } from '../../../kernel/store/sqlite/sqlite-engine.ts';
import { send } from '../../../plugins/webhooks/delivery/delivery.ts';
import webhooks from '../../../plugins/webhooks/index.ts';
import { backoffMs, Endpoint } from '../../../plugins/webhooks/delivery/endpoint.ts';
import { retryAfterMs } from '../../../kernel/kit/net/retry-after.ts';
import { DeliveryQueue } from '../../../plugins/webhooks/store.ts';
import { publicLookup } from '../../../plugins/webhooks/delivery/public-lookup.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TestServer, testConfig, type TestOptions } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';
import { migrate } from '../../../kernel/store/migrate.ts';

const KEY = 'shared with the receiver';
const SECRET = `whsec_${Buffer.from(KEY).toString('base64')}`;
const test = testSuite('webhooks');
/** What a test opened; whatever a failed one left would keep the process alive. */
const opened = new Set<{ close(): Promise<void> }>();
test.after.each(async () => {
  mock.timers.reset();
  for (const each of opened) await each.close();
  opened.clear();
});

async function startServer(options: TestOptions): Promise<TestServer> {
  const server = await TestServer.start({ plugins: [webhooks], ...options });
  opened.add(server);
  return server;
}

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: {
    id: string;
    type: string;
    username: string;
    text: string;
    at: string;
    data: Record<string, unknown>;
  };
  readonly raw: string;
}

interface ScriptedAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** An endpoint with scripted answers, then 204; a number is a status, `hang` means no answer. */
class Receiver {
  readonly received: Received[] = [];
  connections = 0;
  readonly #server: Server;
  #heard: () => void = () => {};

  constructor(answers: (number | 'hang' | ScriptedAnswer)[] = []) {
    this.#server = createServer((request, response) => {
      let raw = '';
      request.on('data', (chunk: Buffer) => (raw += chunk.toString()));
      request.on('end', () => {
        this.received.push({
          path: request.url ?? '',
          headers: request.headers,
          body: (raw === '' ? {} : JSON.parse(raw)) as Received['body'],
          raw,
        });
        this.#heard();
        const answer = answers.shift() ?? 204;
        if (typeof answer === 'object') response.writeHead(answer.status, answer.headers).end(answer.body);
        else if (answer !== 'hang') response.writeHead(answer).end();
      });
    });
    opened.add(this);
    this.#server.on('connection', () => (this.connections += 1));
  }

  async listen(port = 0): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves once this many requests have arrived. */
  async until(count: number): Promise<Received[]> {
    while (this.received.length < count) await new Promise<void>((resolve) => (this.#heard = resolve));
    return this.received;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const settings = (urls: readonly string[], over: Record<string, unknown> = {}, events?: readonly string[]) => ({
  webhooks: {
    endpoints: urls.map((url) => ({ url, secret: SECRET, ...(events && { events }) })),
    allow_private: true,
    backoff_ms: 1,
    timeout_ms: 60_000, // an answer that comes late on a busy machine would count as none, and be asked for again
    ...over,
  },
});

test('an event is delivered with its id and a signature that the receiver can check', async () => {
  const receiver = new Receiver();
  const server = await startServer({ config: settings([`${await receiver.listen()}/hook?x=1`]) });
  await server.account('ann');
  const [first] = await receiver.until(1);
  assert.is(first?.path, '/hook?x=1');
  assert.is(first?.body.type, 'account.created');
  assert.is(first?.body.username, 'ann');
  assert.match(first?.body.text ?? '', /User 'ann' was created from the command line$/);
  assert.is(first?.headers['content-type'], 'application/json');
  const seconds = String(first?.headers['webhook-timestamp']);
  assert.ok(Math.abs(Number(seconds) - Date.now() / 1000) < 60);
  assert.is(first?.headers['webhook-id'], first?.body.id);
  const signed = `${first?.body.id}.${seconds}.${first?.raw}`;
  assert.is(first?.headers['webhook-signature'], `v1,${createHmac('sha256', KEY).update(signed).digest('base64')}`);
  await server.close();
  await receiver.close();
});

test('during a rotation both secrets sign', async () => {
  const receiver = new Receiver();
  const previous = `whsec_${Buffer.from('which the receiver knows').toString('base64')}`;
  const endpoint = { url: await receiver.listen(), secret: SECRET, previous_secret: previous };
  const server = await startServer({ config: { webhooks: { endpoints: [endpoint], allow_private: true } } });
  await server.account('ann');
  const { headers, raw } = (await receiver.until(1))[0] as Received;
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${raw}`;
  assert.is(
    headers['webhook-signature'],
    [KEY, 'which the receiver knows']
      .map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
      .join(' '),
  );
  await server.close();
  await receiver.close();
});

test('only subscribed event types are sent, in order', async () => {
  const receiver = new Receiver();
  const server = await startServer({
    config: settings([await receiver.listen()], {}, ['feature.*', 'account.suspended']),
  });
  const { accounts } = server.hostkeep.core;
  await server.account('ann');
  await accounts.setFeature('ann', 'dns', true);
  await accounts.suspend('ann');
  await accounts.unsuspend('ann');
  await accounts.setFeature('ann', 'dns', false);
  assert.equal(
    (await receiver.until(3)).map(({ body }) => body.type),
    ['feature.toggled', 'account.suspended', 'feature.toggled'],
  );
  assert.equal(receiver.received[0]?.body.data, { feature: 'dns', on: true });
  await server.close();
  await receiver.close();
});

test('a failed delivery is repeated with the same id', async () => {
  const receiver = new Receiver([500, 404, 400, 204]);
  const server = await startServer({ config: settings([await receiver.listen()]) });
  await server.account('ann');
  await receiver.until(4);
  await server.account('bea');
  const received = await receiver.until(5);
  assert.equal(
    received.map(({ body }) => body.username),
    ['ann', 'ann', 'ann', 'ann', 'bea'],
  );
  assert.is(new Set(received.slice(0, 4).map(({ body }) => body.id)).size, 1);
  await server.close();
  await receiver.close();
});

test('a delivery without an answer in time is repeated with the same id', async () => {
  const receiver = new Receiver(['hang']);
  const server = await startServer({ config: settings([await receiver.listen()], { timeout_ms: 200 }) });
  await server.account('ann');
  const [first, second] = await receiver.until(2);
  assert.equal([second?.body.username, second?.body.id], ['ann', first?.body.id]);
  await server.close();
  await receiver.close();
});

// asvs 15.3.2: webhooks follow no redirects
test('a redirect is a failure and is never followed', async () => {
  const elsewhere = new Receiver();
  const location = `${await elsewhere.listen()}/taken`;
  const statuses = [300, 301, 302, 303, 307, 308];
  const receiver = new Receiver(statuses.map((status) => ({ status, headers: { location } })));
  const server = await startServer({ config: settings([await receiver.listen()]) });
  await server.account('ann');
  await Promise.race([receiver.until(statuses.length + 1), elsewhere.until(1)]);
  assert.is(elsewhere.connections, 0);
  assert.equal(
    receiver.received.map(({ body, path }) => [body.username, path]),
    Array.from({ length: 7 }, () => ['ann', '/']),
    'every attempt goes to the configured URL',
  );
  await server.close();
  await Promise.all([receiver.close(), elsewhere.close()]);
});

test('Retry-After in seconds or as a date gives a pause of at most an hour', () => {
  const now = Date.UTC(2026, 0, 1, 12);
  const at = (ms: number) => new Date(now + ms).toUTCString();
  for (const [status, header, ms] of [
    [429, '120', 120_000],
    [503, '120', 120_000],
    [429, '0', 0],
    [503, at(90_000), 90_000],
    [429, at(-90_000), 0],
    [429, '86400', 3_600_000],
    [503, at(86_400_000), 3_600_000],
    [429, '9'.repeat(400), 3_600_000],
    [429, '', 0],
    [429, 'soon', 0],
    [429, '-5', 0],
    [429, '1.5', 0],
    [429, '1e3', 0],
    [429, '0x10', 0],
    [429, '5, 9', 0],
    [429, '2026-01-01T13:00:00Z', 0],
    [503, 'Thu, 99 Jan 2026 12:01:30 GMT', 0],
    [503, `${at(90_000)} x`, 0],
    [500, '120', 0],
    [404, '120', 0],
    [302, '120', 0],
    [200, '120', 0],
    [0, '120', 0],
  ] as const)
    assert.is(retryAfterMs(status, header, now), ms, `${status} ${header}`);
});

test('Retry-After postpones the rejected delivery and the next ones', async () => {
  const waiting = async (server: TestServer) => {
    for (;;) {
      const row = await server.hostkeep.core.store.get<{ due_at: number; attempts: number }>(
        'select due_at, attempts from webhook_deliveries where attempts > 0',
      );
      if (row !== undefined) return row;
    }
  };
  for (const [answer, least, most] of [
    [{ status: 429, headers: { 'Retry-After': '1000' } }, 1_000_000, 1_000_000],
    [{ status: 503, headers: { 'Retry-After': new Date(Date.now() + 1_000_000).toUTCString() } }, 900_000, 1_000_000],
    [{ status: 429, headers: { 'Retry-After': '99999999' } }, 3_600_000, 3_600_000],
    [{ status: 500, headers: { 'Retry-After': '1000' } }, 0, 100_000],
  ] as const) {
    const receiver = new Receiver([answer]);
    const server = await startServer({ config: settings([await receiver.listen()], { backoff_ms: 60_000 }) });
    const before = Date.now();
    await server.account('ann');
    await receiver.until(1);
    const { due_at: dueAt, attempts } = await waiting(server);
    assert.is(attempts, 1);
    assert.ok(dueAt >= before + least && dueAt <= Date.now() + most, `${JSON.stringify(answer)}: ${dueAt - before} ms`);
    await server.close();
    await receiver.close();
  }
});

test('new deliveries wait while an endpoint is paused', async () => {
  const receiver = new Receiver([{ status: 429, headers: { 'Retry-After': '1000' } }]);
  const claimed: number[] = [];
  const looks: number[] = [];
  const queue = {
    next: async () => (
      looks.push(Date.now()),
      { event_id: claimed.length + 1, body: '{}', attempts: 0, created_at: Date.now(), due_at: Date.now() }
    ),
    claim: async (_: string, { event_id: id }: { event_id: number }) => claimed.push(id) > 0,
    postpone: async () => {},
    failed: async () => {},
    delivered: async () => {},
  };
  const looked = async (times: number) => {
    while (looks.length < times) await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve)); // its reaction begins in the same turn
  };
  const config = { url: await receiver.listen(), secret: SECRET, events: ['*'] };
  const parts = {
    named: { key: 'key', label: 'label', config, isOwn: false },
    settings: { timeout_ms: 5000, attempts: 15, age_hours: 72, backoff_ms: 1, allow_private: true },
    queue,
    log: createLog('silent'),
    userAgent: '',
    isLeading: () => true,
  };
  const endpoint = new Endpoint(parts as never);
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.now() });
  endpoint.wake();
  await looked(2);
  mock.timers.tick(999_000);
  await looked(2);
  assert.equal([claimed, looks.length], [[1], 2], 'the second is due, and waits');
  mock.timers.tick(1000);
  await receiver.until(2);
  assert.equal(claimed.slice(0, 2), [1, 2]);
  await endpoint.close();
  await receiver.close();
});

test('after its last attempt a delivery is given up, and the next event follows', async () => {
  const receiver = new Receiver([500, 500, 500]);
  const server = await startServer({ config: settings([await receiver.listen()], { attempts: 3 }) });
  await server.account('ann');
  await receiver.until(3);
  await server.account('bea');
  assert.equal(
    (await receiver.until(4)).map(({ body }) => body.username),
    ['ann', 'ann', 'ann', 'bea'],
  );
  await server.close();
  await receiver.close();
});

test('an endpoint that does not answer delays neither other endpoints nor the shutdown', async () => {
  const [slow, quick] = [new Receiver(Array.from({ length: 100 }, () => 'hang' as const)), new Receiver()];
  const server = await startServer({
    config: settings([await slow.listen(), await quick.listen()], { timeout_ms: 60_000 }),
  });
  for (const name of ['ann', 'bea', 'cy']) await server.account(name);
  await Promise.all([quick.until(3), slow.until(1)]);
  assert.is(slow.received.length, 1);
  await server.close();
  await Promise.all([slow.close(), quick.close()]);
});

test('the queue survives a restart, and events during the downtime are delivered', async () => {
  const data = temporaryFolder();
  const receiver = new Receiver([503]);
  const config = settings([await receiver.listen()], { backoff_ms: 100 });
  const server = await startServer({ data, config });
  await server.account('ann');
  await receiver.until(1);
  await server.close();
  const core = await openCore(testConfig(data), createLog('silent'));
  await core.accounts.create({ username: 'bea', role: 'user', plan: 'basic', passwordHash: '' });
  await core.close();
  const again = await startServer({ data, config });
  const received = await receiver.until(3);
  assert.equal(received.map(({ body }) => body.username).toSorted(), ['ann', 'ann', 'bea']);
  assert.is(
    received.filter(({ body }) => body.username === 'ann').every(({ body }) => body.id === received[0]?.body.id),
    true,
  );
  await again.close();
  const third = await startServer({ data, config });
  await third.account('cy');
  assert.is((await receiver.until(4)).at(-1)?.body.username, 'cy', 'delivered events are not sent again');
  await third.close();
  await receiver.close();
});

test('a delivery postponed by a wrong clock is delivered once it is right', async () => {
  const data = temporaryFolder();
  const receiver = new Receiver([503]);
  const config = settings([await receiver.listen()], { backoff_ms: 60_000 });
  const server = await startServer({ data, config });
  await server.account('ann');
  await receiver.until(1);
  await server.close();
  const core = await openCore(testConfig(data), createLog('silent'));
  await core.store.write((tx) => tx.run('update webhook_deliveries set due_at = ?', Date.now() + 365 * 86_400_000));
  await core.close();
  const again = await startServer({ data, config });
  assert.is((await receiver.until(2))[1]?.body.username, 'ann');
  await again.close();
  await receiver.close();
});

test('events of other processes are delivered while the server runs', async () => {
  const data = temporaryFolder();
  const receiver = new Receiver();
  const server = await startServer({ data, config: settings([await receiver.listen()]) });
  const other = await openCore(testConfig(data), createLog('silent'));
  await other.accounts.create({ username: 'ann', role: 'user', plan: 'basic', passwordHash: '' });
  assert.is((await receiver.until(1))[0]?.body.username, 'ann');
  await other.close();
  await server.close();
  await receiver.close();
});

test('a new endpoint gets no past events', async () => {
  const data = temporaryFolder();
  const before = await startServer({ data });
  await before.account('ann');
  await before.close();
  const receiver = new Receiver();
  const server = await startServer({ data, config: settings([await receiver.listen()]) });
  await server.account('bea');
  assert.is((await receiver.until(1))[0]?.body.username, 'bea');
  await server.close();
  await receiver.close();
});

// threat ssrf: webhooks connect to public addresses only
test('no connection is made to an address that is not public', async () => {
  const receiver = new Receiver();
  const url = new URL(await receiver.listen());
  const attempt = (host: string) =>
    send('{}', 1, {
      url: new URL(`http://${host}:${url.port}/`),
      secrets: [SECRET],
      timeoutMs: 1000,
      allowPrivate: false,
      userAgent: '',
      signal: new AbortController().signal,
    });
  for (const host of [
    '127.0.0.1',
    'localhost',
    'LOCALHOST.',
    'admin.localhost',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '0',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '169.254.169.254',
    '[fd00:ec2::254]',
    '10.0.0.1',
    '[fe80::1]',
  ]) {
    await attempt(host).then(
      () => assert.unreachable(host),
      (error: Error) => assert.match(error.message, /not a public address|no public address/, host),
    );
  }
  assert.is(receiver.connections, 0);
  await receiver.close();
});

// asvs 1.3.6: the address is checked at each connection
test('a name that resolves differently on use is not connected to its new address', async () => {
  const answers = [['93.184.216.34'], ['127.0.0.1'], ['10.0.0.1', '93.184.216.34']];
  const lookup = publicLookup((_, __, callback) =>
    callback(
      null,
      (answers.shift() ?? []).map((address) => ({ address, family: 4 })),
    ),
  );
  const resolved = (all: boolean) =>
    new Promise((resolve) =>
      lookup('rebinding.example', { all }, (error, address) => resolve(error?.message ?? address)),
    );
  assert.is(await resolved(false), '93.184.216.34');
  assert.is(await resolved(false), 'rebinding.example has no public address');
  assert.equal(await resolved(true), [{ address: '93.184.216.34', family: 4 }]);
  assert.is(await resolved(true), 'rebinding.example has no public address');
});

test('a full queue drops its oldest delivery, and takes each event once', async () => {
  const store = await SqliteEngine.open(join(temporaryFolder(), 'hostkeep.db'));
  await migrate(store, 'webhooks', join(projectDir, 'plugins/webhooks/migrations'));
  const queue = new DeliveryQueue(store);
  const deliveries = [1, 2, 3, 4, 5].map((eventId) => ({ endpoint: 'a', eventId, body: '{}' }));
  assert.is(await queue.add(5, [...deliveries, { endpoint: 'b', eventId: 1, body: '{}' }], 3), 2);
  assert.is(await queue.add(5, deliveries.slice(2), 3), 0);
  assert.is(await queue.waiting('a'), 3);
  assert.is((await queue.next('a'))?.event_id, 3);
  const first = await queue.next('a');
  assert.ok(first !== undefined && (await queue.claim('a', first, Date.now() + 60_000)));
  assert.not.ok(await queue.claim('a', first, Date.now() + 60_000), 'only one process makes an attempt');
  assert.is((await queue.next('a'))?.event_id, 4);
  const failing = await queue.next('a');
  assert.ok(failing !== undefined);
  const attempt = { at: 0, ms: 1, status: 500, reason: 'answered 500', answer: '' };
  await queue.failed('a', failing, attempt, undefined);
  await queue.delivered('a', { ...failing, event_id: 5 }, { ...attempt, status: 204, reason: '' });
  const { delivered, failed, given_up: givenUp, reason } = await queue.state('a');
  assert.equal([delivered, failed, givenUp, reason], [1, 1, 1, 'answered 500']);
  assert.is(await queue.waiting('a'), 1);
  await queue.keepOnly(['b']);
  assert.is((await queue.state('a')).delivered, 0);
  assert.is(await queue.waiting('a'), 0);
  assert.is(await queue.waiting('b'), 1);
  await queue.add(4, [], 3);
  assert.is(await queue.cursor(), 5, 'the cursor never moves back');
  await queue.keepOnly([]);
  assert.is(await queue.cursor(), undefined);
  await store.close();
});

test('the backoff doubles up to a limit', () => {
  for (const [failures, least] of [
    [1, 100],
    [2, 200],
    [5, 1600],
    [30, 10_000],
    [5000, 10_000],
  ] as const) {
    const ms = backoffMs(100, failures, 10_000);
    assert.ok(ms >= least && ms <= least * 1.2, `${failures}: ${ms}`);
  }
});

test('an unusable URL or secret is reported, and disables only this plugin', async () => {
  for (const [urls, why, secret = SECRET] of [
    [['http://'], /\[0\]\.url is not a URL/],
    [['http://me:hidden@example.com/'], /must not contain a password/],
    [['http://example.com/', 'http://example.com'], /is a duplicate/],
    [['http://example.com/'], /\[0\]\.secret is not whsec_ and 24 to 64 bytes in base64/, 'whsec_hidden-in-the-log'],
  ] as const) {
    const endpoints = urls.map((url) => ({ url, secret }));
    const server = await startServer({ config: { webhooks: { endpoints } } });
    const status = server.hostkeep.node.plugins().find(({ name }) => name === 'webhooks');
    assert.is(status?.state, 'unavailable');
    assert.match(status?.reason ?? '', why);
    assert.not.match(status?.reason ?? '', /hidden/);
    await server.close();
  }
});

test('operators see deliveries, test an endpoint and repeat deliveries', async () => {
  const receiver = new Receiver([500, 204]);
  const url = `${await receiver.listen()}/?token=hidden`;
  const server = await startServer({ config: settings([url], { attempts: 1 }, ['account.*']) });
  const { token } = await server.admin();
  await receiver.until(1);
  const user = await server.user('ann');
  await receiver.until(2);
  const ask = (path = '', method = 'GET', body?: unknown) =>
    server.ask(`/api/webhooks${path}`, { token, address: 'admin', method, ...(body === undefined ? {} : { body }) });
  const list = async () => ((await ask()).body['webhooks'] as Record<string, unknown>[])[0] ?? {};
  await until('both deliveries are over', async () => (await list())['delivered'] === 1);
  const state = await list();
  const id = String(state['id']);
  for (const [path, method, body] of [
    ['', 'GET', undefined],
    [`/${id}/test`, 'POST', undefined],
    [`/${id}/redeliver`, 'POST', { event_id: null }],
  ] as const) {
    const options = { method, ...(body === undefined ? {} : { body }) };
    assert.is((await server.ask(`/api/webhooks${path}`, { address: 'admin', ...options })).status, 401);
    assert.is(
      (await server.ask(`/api/webhooks${path}`, { address: 'admin', ...options, token: user.token })).status,
      401,
    );
    assert.is((await server.ask(`/api/webhooks${path}`, { ...options, token: user.token })).status, 404);
  }
  assert.is((await ask('/none/test', 'POST')).body['error'], 'webhook_not_found');
  assert.is((await ask('/none/redeliver', 'POST', { event_id: null })).body['error'], 'webhook_not_found');
  for (const body of [{}, { event_id: 0 }, { event_id: 'x' }, { event_id: 1e9 }, { event_id: 1, endpoint: 'x' }])
    assert.is((await ask(`/${id}/redeliver`, 'POST', body)).body['error'], 'invalid_request', JSON.stringify(body));
  assert.equal(
    [state['endpoint'], state['given_up'], state['failed'], state['reason'], state['waiting']],
    [`${new URL(url).host}#0`, 1, 1, 'answered 500', 0],
  );
  assert.not.match(JSON.stringify(state), /hidden|shared with/, 'neither the URL nor the secret');

  assert.equal((await ask(`/${id}/test`, 'POST')).body['accepted'], true);
  const eventId = Number(receiver.received[0]?.body.id);
  assert.is((await ask(`/${id}/redeliver`, 'POST', { event_id: eventId })).body['queued'], 1);
  await until('it is delivered again', async () => (await list())['delivered'] === 2);
  assert.is((await ask(`/${id}/redeliver`, 'POST', { event_id: null })).body['queued'], 0, 'nothing waits');
  const [event] = await server.hostkeep.core.events.find({ type: 'webhook.requeued' }, 1);
  assert.match(event?.line ?? '', /User 'root' had event \d+ delivered again to 127\.0\.0\.1:\d+#0 from IP/);
});

test('the last 20 attempts are kept, with what was sent and answered', async () => {
  const receiver = new Receiver([{ status: 503, headers: {}, body: `busy\0${'x'.repeat(5000)}` }]);
  const server = await startServer({ config: settings([await receiver.listen()], {}, ['account.*']) });
  const { token } = await server.admin();
  await receiver.until(2);
  const ask = <T>(path: string) => server.ask<T>(`/api/webhooks${path}`, { token, address: 'admin' });
  const [webhook] = (await ask<{ webhooks: { id: string }[] }>('')).body.webhooks;
  interface Kept {
    readonly event_id: number;
    readonly type: string;
    readonly status: number | null;
    readonly accepted: boolean;
    readonly reason: string;
    readonly payload: string;
    readonly answer: string;
  }
  const attempts = async () => (await ask<{ attempts: Kept[] }>(`/${webhook?.id}/attempts`)).body.attempts;
  await until('both attempts are over', async () => (await attempts()).length === 2);
  const [second, first] = await attempts();
  assert.equal([first?.status, first?.accepted, first?.reason], [503, false, 'answered 503']);
  assert.is(first?.answer, `busy\ufffd${'x'.repeat(2043)}`);
  assert.equal([second?.status, second?.accepted, second?.answer, second?.type], [204, true, '', 'account.created']);
  assert.equal([second?.payload, second?.event_id], [receiver.received[1]?.raw, Number(receiver.received[1]?.body.id)]);
  for (let i = 0; i < 22; i += 1) await server.account(`many-${i}`);
  await receiver.until(24);
  await until('all are over', async () => (await attempts())[0]?.payload.includes('many-21') === true);
  assert.is((await attempts()).length, 20);
  assert.is((await ask('/none/attempts')).status, 404);
});

test('concurrent tests of an endpoint are one, and fail without an answer', async () => {
  const receiver = new Receiver(['hang']);
  // Long enough that the second request comes during the test, however busy the machine is.
  const config = settings([await receiver.listen()], { timeout_ms: 5000 }, ['feature.*']);
  const server = await startServer({ config });
  const { token } = await server.admin();
  const ask = (path = '', method = 'GET') => server.ask(`/api/webhooks${path}`, { token, address: 'admin', method });
  const [endpoint] = (await ask()).body['webhooks'] as { id: string }[];
  const first = ask(`/${endpoint?.id}/test`, 'POST');
  await receiver.until(1);
  for (const { body } of await Promise.all([first, ask(`/${endpoint?.id}/test`, 'POST')])) {
    assert.equal([body['accepted'], body['status']], [false, null]);
    assert.match(String(body['reason']), /no answer within 5000 ms/);
  }
  assert.is(receiver.received.length, 1);
});
