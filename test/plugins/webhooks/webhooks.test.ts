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
});

test('a delivery without an answer in time is repeated with the same id', async () => {
  const receiver = new Receiver(['hang']);
  const server = await startServer({ config: settings([await receiver.listen()], { timeout_ms: 200 }) });
  await server.account('ann');
  const [first, second] = await receiver.until(2);
  assert.equal([second?.body.username, second?.body.id], ['ann', first?.body.id]);
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
  await startServer({ data, config });
  assert.is((await receiver.until(2))[1]?.body.username, 'ann');
});

test('events of other processes are delivered while the server runs', async () => {
  const data = temporaryFolder();
  const receiver = new Receiver();
  await startServer({ data, config: settings([await receiver.listen()]) });
  const other = await openCore(testConfig(data), createLog('silent'));
  await other.accounts.create({ username: 'ann', role: 'user', plan: 'basic', passwordHash: '' });
  assert.is((await receiver.until(1))[0]?.body.username, 'ann');
  await other.close();
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
  const admin = await server.admin();
  await receiver.until(1);
  await server.user('ann');
  await receiver.until(2);
  const list = async () =>
    (await admin.asks<{ webhooks: Record<string, unknown>[] }>('GET /api/webhooks', 200)).webhooks[0] ?? {};
  await until('both deliveries are over', async () => (await list())['delivered'] === 1);
  const state = await list();
  const path = `/api/webhooks/${String(state['id'])}` as const;
  await admin.rows(
    ['POST /api/webhooks/none/test', '404 webhook_not_found'],
    ['POST /api/webhooks/none/redeliver', { event_id: null }, '404 webhook_not_found'],
    [`POST ${path}/redeliver`, { event_id: 0 }, '400 invalid_request'],
    [`POST ${path}/redeliver`, { event_id: 1e9 }, '400 invalid_request'],
  );
  assert.equal(
    [state['endpoint'], state['given_up'], state['failed'], state['reason'], state['waiting']],
    [`${new URL(url).host}#0`, 1, 1, 'answered 500', 0],
  );
  assert.not.match(JSON.stringify(state), /hidden|shared with/, 'neither the URL nor the secret');

  await admin.asks(`POST ${path}/test`, 200, { accepted: true });
  const event_id = Number(receiver.received[0]?.body.id);
  await admin.asks(`POST ${path}/redeliver`, { event_id }, 200, { queued: 1 });
  await until('it is delivered again', async () => (await list())['delivered'] === 2);
  await admin.asks(`POST ${path}/redeliver`, { event_id: null }, 200, { queued: 0 }); // nothing waits
  const [event] = await server.hostkeep.core.events.find({ type: 'webhook.requeued' }, 1);
  assert.match(event?.line ?? '', /User 'root' had event \d+ delivered again to 127\.0\.0\.1:\d+#0 from IP/);
});

test('the last 20 attempts are kept, with what was sent and answered', async () => {
  const receiver = new Receiver([{ status: 503, headers: {}, body: `busy\0${'x'.repeat(5000)}` }]);
  const server = await startServer({ config: settings([await receiver.listen()], {}, ['account.*']) });
  const admin = await server.admin();
  await receiver.until(2);
  const [webhook] = (await admin.asks<{ webhooks: { id: string }[] }>('GET /api/webhooks', 200)).webhooks;
  interface Kept {
    readonly event_id: number;
    readonly type: string;
    readonly status: number | null;
    readonly accepted: boolean;
    readonly reason: string;
    readonly payload: string;
    readonly answer: string;
  }
  const attempts = async () =>
    (await admin.asks<{ attempts: Kept[] }>(`GET /api/webhooks/${webhook?.id}/attempts`, 200)).attempts;
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
  await admin.asks('GET /api/webhooks/none/attempts', 404);
});

test('concurrent tests of an endpoint are one, and fail without an answer', async () => {
  const receiver = new Receiver(['hang']);
  // Long enough that the second request comes during the test, however busy the machine is.
  const config = settings([await receiver.listen()], { timeout_ms: 5000 }, ['feature.*']);
  const server = await startServer({ config });
  const admin = await server.admin();
  const [endpoint] = (await admin.asks<{ webhooks: { id: string }[] }>('GET /api/webhooks', 200)).webhooks;
  const testing = () =>
    admin.asks(`POST /api/webhooks/${endpoint?.id}/test`, 200, {
      ...{ accepted: false, status: null, reason: /no answer within 5000 ms/ },
    });
  const first = testing();
  await receiver.until(1);
  await Promise.all([first, testing()]);
  assert.is(receiver.received.length, 1);
});
