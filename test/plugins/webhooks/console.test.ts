/** Endpoints that administrators add in the console. */
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import * as assert from '../../support/assert.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { atEnd } from '../../support/ending.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { eventually } from '../../support/until.ts';

const test = testSuite('webhooks of the console');
const CONFIGURED = { url: 'http://127.0.0.1:1/', secret: `whsec_${'A'.repeat(32)}`, events: ['none'] };
const ALLOWED = { endpoints: [CONFIGURED], allow_console: true, allow_private: true, backoff_ms: 1 };
const PATH = '/api/webhooks';

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
interface View {
  readonly id: string;
  readonly endpoint: string;
  readonly events: readonly string[];
  readonly editable: boolean;
  readonly has_previous_secret: boolean;
}

/** Answers with what it was sent, and with what else is wanted. */
class Echo {
  readonly received: Received[] = [];
  answer = (received: Received): string => JSON.stringify(received);
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const received = { path: request.url ?? '', headers: request.headers, body };
        this.received.push(received);
        response.end(this.answer(received));
      });
    });
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    atEnd(() => void this.#server.close());
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves with the request that tells of an account's creation. */
  about(username: string): Promise<Received> {
    const found = () => this.received.find(({ body }) => body.includes(`"username":"${username}"`));
    return eventually(`a delivery about ${username}`, found, (each) => each !== undefined) as Promise<Received>;
  }
}

class Console {
  readonly server: TestServer;
  readonly #token: string;

  constructor(server: TestServer, token: string) {
    this.server = server;
    this.#token = token;
  }

  static async open(webhooks: object, data = temporaryFolder()): Promise<Console> {
    const server = await TestServer.start({ data, config: { webhooks } });
    return new Console(server, (await server.admin(`operator${Date.now() % 1e6}`)).token);
  }

  ask<T = Record<string, unknown>>(method: string, path: string, body?: object) {
    return this.server.ask<T>(path, {
      address: 'admin',
      token: this.#token,
      method,
      ...(body !== undefined && { body }),
    });
  }

  async refused(method: string, path: string, body?: object): Promise<string> {
    const { status, body: answer } = await this.ask(method, path, body);
    return `${status} ${String(answer['error'])}`;
  }

  async add(url: string, events?: readonly string[]): Promise<{ id: string; endpoint: string; secret: string }> {
    const { status, body } = await this.ask('POST', PATH, { url, ...(events && { events }) });
    assert.is(status, 201, JSON.stringify(body));
    return body as { id: string; endpoint: string; secret: string };
  }

  async list(): Promise<readonly View[]> {
    return (await this.ask<{ webhooks: readonly View[] }>('GET', PATH)).body.webhooks;
  }
}

/** The signatures that a delivery should have. */
const signatures = ({ headers, body }: Received, ...secrets: readonly string[]) =>
  secrets
    .map((secret) => {
      const hmac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'));
      const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
      return `v1,${hmac.update(signed).digest('base64')}`;
    })
    .join(' ');

test('nothing can be added where the configuration does not allow it', async () => {
  const console = await Console.open({ endpoints: [CONFIGURED] });
  assert.is((await console.ask('GET', PATH)).body['editable'], false);
  const [configured] = await console.list();
  const { id = '' } = configured ?? {};
  for (const [method, path, body] of [
    ['POST', PATH, { url: 'https://hooks.example/' }],
    ['PATCH', `${PATH}/${id}`, { events: ['*'] }],
    ['POST', `${PATH}/${id}/secret`, undefined],
    ['DELETE', `${PATH}/${id}/previous-secret`, undefined],
    ['DELETE', `${PATH}/${id}`, undefined],
  ] as const)
    assert.is(await console.refused(method, path, body), '409 webhook_not_editable', `${method} ${path}`);
  assert.is(await console.refused('DELETE', `${PATH}/unknown`), '404 webhook_not_found');
  assert.equal(
    (await console.list()).map(({ editable }) => editable),
    [false],
  );
});

test('what cannot be an endpoint is refused, with its place', async () => {
  const console = await Console.open({ allow_console: true });
  for (const url of [
    'ftp://hooks.example/',
    'hooks.example',
    'https://',
    'https://user:secret@hooks.example/',
    'http://127.0.0.1/',
    'http://localhost:8080/',
    'http://[::1]/',
    'http://169.254.169.254/latest',
    `https://hooks.example/${'x'.repeat(2048)}`,
  ]) {
    const { status, body } = await console.ask<{ errors: { path: string }[] }>('POST', PATH, { url });
    assert.equal([status, body.errors.map(({ path }) => path)], [400, ['/url']], url);
  }
  const url = 'https://hooks.example/';
  for (const events of [[], ['Account'], [''], ['a b'], Array.from({ length: 51 }, () => '*'), 'account.*'])
    assert.is(await console.refused('POST', PATH, { url, events }), '400 invalid_request', JSON.stringify(events));
  assert.is(await console.refused('POST', PATH, { url, secret: 'chosen' }), '400 invalid_request');
  const { id } = await console.add(url);
  assert.is(await console.refused('POST', PATH, { url: 'https://HOOKS.example' }), '409 webhook_exists');
  assert.is(await console.refused('PATCH', `${PATH}/${id}`, {}), '400 invalid_request');
  assert.is(await console.refused('PATCH', `${PATH}/${id}`, { url: 'http://10.0.0.1/' }), '400 invalid_request');
  const other = await console.add('https://other.example/');
  assert.is(await console.refused('PATCH', `${PATH}/${other.id}`, { url }), '409 webhook_exists');
  for (const [method, path] of [
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/secret'],
    ['DELETE', '/previous-secret'],
  ] as const) {
    const body = method === 'PATCH' ? { events: ['*'] } : undefined;
    assert.is(await console.refused(method, `${PATH}/unknown${path}`, body), '404 webhook_not_found', method);
  }
  for (let n = 2; n < 20; n++) await console.add(`https://hooks.example/${n}`);
  assert.is(await console.refused('POST', PATH, { url: 'https://hooks.example/20' }), '409 webhooks_full');
});

test('those of the configuration stay as they are', async () => {
  const console = await Console.open(ALLOWED);
  const [configured] = await console.list();
  const path = `${PATH}/${configured?.id}`;
  assert.is(await console.refused('PATCH', path, { events: ['*'] }), '409 webhook_not_editable');
  assert.is(await console.refused('DELETE', path), '409 webhook_not_editable');
  assert.is(await console.refused('POST', PATH, { url: CONFIGURED.url }), '409 webhook_exists');
  assert.equal((await console.list())[0]?.events, CONFIGURED.events);
});

test('an endpoint gets what happens from then on, until it is removed', async () => {
  const [echo, moved] = [new Echo(), new Echo()];
  const [url, elsewhere] = [await echo.listen(), await moved.listen()];
  const data = temporaryFolder();
  let console = await Console.open(ALLOWED, data);
  await console.server.account('before');
  const { id, endpoint, secret } = await console.add(`${url}/token-of-a-chat`, ['account.created']);
  const { store } = console.server.hostkeep.core;
  const stored = JSON.stringify(await store.all('select * from webhook_endpoints'));
  for (const each of ['token-of-a-chat', secret.slice(6, 20)]) assert.not(stored.includes(each), 'sealed');
  await console.server.account('ann');
  const first = await echo.about('ann');
  assert.equal([first.path, first.headers['webhook-signature']], ['/token-of-a-chat', signatures(first, secret)]);
  assert.equal(
    echo.received.map(({ body }) => (JSON.parse(body) as { username: string }).username),
    ['ann'],
    'nothing of before, and of no other type',
  );
  const { body: renewed } = await console.ask<{ secret: string }>('POST', `${PATH}/${id}/secret`);
  await console.server.account('bea');
  const both = await echo.about('bea');
  assert.is(both.headers['webhook-signature'], signatures(both, renewed.secret, secret));
  assert.is((await console.list())[1]?.has_previous_secret, true);
  const forget = () => console.ask('DELETE', `${PATH}/${id}/previous-secret`);
  assert.equal([(await forget()).body['changed'], (await forget()).body['changed']], [true, false]);
  await console.server.account('cat');
  const newest = await echo.about('cat');
  assert.is(newest.headers['webhook-signature'], signatures(newest, renewed.secret));
  await console.server.close();

  console = await Console.open(ALLOWED, data);
  await console.server.account('dan');
  await echo.about('dan');
  const changed = await console.ask('PATCH', `${PATH}/${id}`, { url: elsewhere });
  assert.equal([changed.status, changed.body], [200, { id, changed: true }]);
  await console.server.account('eve');
  const there = await moved.about('eve');
  assert.is(there.headers['webhook-signature'], signatures(there, renewed.secret));
  await console.ask('PATCH', `${PATH}/${id}`, { events: ['none'] });
  assert.equal((await console.list())[1]?.events, ['none']);
  const removed = await console.ask('DELETE', `${PATH}/${id}`);
  assert.equal([removed.status, removed.body], [200, { id, changed: true }]);
  assert.is(await console.refused('GET', `${PATH}/${id}/attempts`), '404 webhook_not_found');
  assert.is((await console.list()).length, 1);
  for (const table of ['webhook_deliveries', 'webhook_state', 'webhook_attempts'])
    assert.equal(
      await console.server.hostkeep.core.store.all(`select * from ${table} where endpoint = ?`, id),
      [],
      table,
    );
  const types = (await console.server.hostkeep.core.events.after(0, 500)).filter(({ type }) =>
    type.startsWith('webhook'),
  );
  assert.equal(
    types.map(({ type }) => type),
    [
      ...['webhook.added', 'webhook.secret_renewed', 'webhook.changed'],
      ...['webhook.changed', 'webhook.changed', 'webhook.removed'],
    ],
  );
  assert.equal(types[0]?.data, { endpoint });
  assert.not.match(JSON.stringify(types), /token-of-a-chat|whsec_/);
});

test('those that were added are not used while the configuration does not allow it', async () => {
  const echo = new Echo();
  const data = temporaryFolder();
  let console = await Console.open(ALLOWED, data);
  const { id } = await console.add(await echo.listen());
  await console.server.close();
  console = await Console.open({ ...ALLOWED, allow_console: false }, data);
  assert.is((await console.list()).length, 1);
  await console.server.close();
  console = await Console.open(ALLOWED, data);
  assert.equal((await console.list())[1]?.id, id);
  await console.server.account('fay');
  await echo.about('fay');
});

test('attempts show no secret that an answer repeats, and no more than its beginning', async () => {
  const echo = new Echo();
  const console = await Console.open(ALLOWED);
  const { id, secret } = await console.add(`${await echo.listen()}/hooks/T0KEN-of-chat?key=s3cret%2Fkey-of-chat`);
  echo.answer = ({ path }) => {
    const escaped = JSON.stringify({ path, secret }).replaceAll('/', '\\/');
    return `${path} ${escaped} s3cret/key-of-chat ${secret} ${'x'.repeat(1800)} ${'y'.repeat(100)}${secret}${'z'.repeat(1 << 20)}`;
  };
  await console.server.account('ann');
  await echo.about('ann');
  interface Attempts {
    readonly attempts: readonly { readonly answer: string; readonly payload: string; readonly status: number }[];
  }
  const read = async () => (await console.ask<Attempts>('GET', `${PATH}/${id}/attempts`)).body.attempts;
  const [last] = await eventually('an attempt', read, ({ length }) => length > 0);
  assert.is(last?.status, 200);
  assert.match(last?.payload ?? '', /"username":"ann"/);
  const answer = last?.answer ?? '';
  assert.ok(answer.length > 1000 && Buffer.byteLength(answer) <= 2048 + 2, String(Buffer.byteLength(answer)));
  for (const part of ['T0KEN', 's3cret', secret, secret.slice(6, 26)])
    assert.is(answer.includes(part), false, `${part} in ${answer.slice(0, 300)}`);
});
