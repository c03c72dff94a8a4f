import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import * as assert from '../../support/assert.ts';
import { openCore } from '../../../kernel/run/core.ts';
import { createLog } from '../../../kernel/log.ts';
import { Semaphores } from '../../../kernel/workers/semaphores.ts';
import type { Address } from '../../../kernel/contract/route-spec.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testConfig } from '../../support/hostkeep.ts';
import { NodeProcess, onlyPlugins, prepare } from '../../support/node-process.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';
import { WebhookSink } from '../../support/webhook-sink.ts';

const test = testSuite('workers together');
const LEAN = onlyPlugins(
  ...['accounts', 'domains', 'events', 'login', 'metrics', 'operations', 'postgres', 'system', 'usage', 'webhooks'],
);
const opened = new Set<NodeProcess>();
test.after.each(async () => {
  for (const node of opened) await node.end('SIGKILL');
  opened.clear();
});

async function start(data: string, config: Record<string, unknown> = {}): Promise<NodeProcess> {
  await prepare(data, { una: 'user', root: 'admin' });
  const node = await NodeProcess.start(data, { workers: 2, config: { ...LEAN, ...config } });
  opened.add(node);
  await node.line(/all workers serve/);
  return node;
}

interface Sent {
  readonly method?: string;
  readonly address?: Address;
  readonly token?: string;
  readonly body?: unknown;
  readonly key?: string;
}

/** Sends a request on a connection of its own, which either worker may have. */
async function send(node: NodeProcess, path: string, { method = 'GET', address = 'user', token, body, key }: Sent) {
  const sent = request(node.url(address) + path, {
    method,
    agent: false,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return (await once(sent, 'response'))[0] as IncomingMessage;
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return text;
}

function tally(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

test('a semaphore is acquired in order, by as many as may, and is released once', async () => {
  const semaphores = new Semaphores();
  const first = await semaphores.acquire('a', 2);
  const second = await semaphores.acquire('a', 2);
  assert.type(await semaphores.acquire('b', 1), 'function');
  const order: string[] = [];
  const leaving = new AbortController();
  void semaphores.acquire('a', 2, leaving.signal).then(() => order.push('left'));
  const third = semaphores.acquire('a', 1).then((release) => (order.push('third'), release));
  const fourth = semaphores.acquire('a', 2).then((release) => (order.push('fourth'), release));
  leaving.abort();
  first();
  first();
  await Promise.resolve();
  assert.equal(order, [], 'one is held still, and the third wants to be alone');
  second();
  const release = await third;
  await fourth;
  assert.equal(order, ['third', 'fourth']);
  const fifth = semaphores.acquire('a', 2).then(() => order.push('fifth'));
  await Promise.resolve();
  assert.equal(order, ['third', 'fourth'], 'two are held');
  release();
  await fifth;
  assert.equal(order, ['third', 'fourth', 'fifth']);
});

test('guesses in all workers share one budget, and a lifted one is free again', async () => {
  const data = temporaryFolder();
  const many = { minute: 1000, hour: 1000, day: 1000 };
  const node = await start(data, { login: { account_failures: { ...many, minute: 3 }, address_failures: many } });
  const guess = async (password: string) => {
    const response = await send(node, '/api/login', { method: 'POST', body: { username: 'una', password } });
    await textOf(response);
    return String(response.statusCode);
  };
  const guesses = await Promise.all(Array.from({ length: 16 }, (_, i) => guess(`wrong guess ${i}`)));
  assert.equal(tally(guesses), { 401: 3, 429: 13 });
  const token = await node.login('root', undefined, 'admin');
  const lifted = await send(node, '/api/accounts/una/unlock', { method: 'POST', address: 'admin', token });
  assert.is(lifted.statusCode, 200, await textOf(lifted));
  assert.equal(tally(await Promise.all(Array.from({ length: 16 }, (_, i) => guess(`again wrong ${i}`)))), {
    401: 3,
    429: 13,
  });
});

test('what an Idempotency-Key stands for is done once, whichever workers are asked', async () => {
  const data = temporaryFolder();
  const node = await start(data);
  const token = await node.login('una');
  for (let round = 0; round < 3; round += 1) {
    const body = { domain_url: `once-${round}.example`, docroot: '/var/www/html/once' };
    const replies = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const response = await send(node, '/api/domains/new', { method: 'POST', token, body, key: `round-${round}` });
        return [response.statusCode, await textOf(response)] as const;
      }),
    );
    const made = replies.filter(([status]) => status === 201);
    assert.ok(made.length >= 1);
    assert.is(new Set(made.map(([, text]) => text)).size, 1);
    for (const [status, text] of replies) if (status !== 201) assert.match(text, /"error":"request_in_progress"/);
  }
});

test('an event reaches the streams of all workers, which share their limit', async () => {
  const data = temporaryFolder();
  const node = await start(data);
  const token = await node.login('root', undefined, 'admin');
  const streams: IncomingMessage[] = [];
  const received = new Map<IncomingMessage, string>();
  const open = async () => {
    const stream = await send(node, '/api/events/stream?type=account.*', { address: 'admin', token });
    stream.on('data', (chunk) => received.set(stream, (received.get(stream) ?? '') + String(chunk)));
    return stream;
  };
  for (let i = 0; i < 20; i += 1) {
    const stream = await open();
    assert.is(stream.statusCode, 200, `stream ${i + 1}`);
    await until('it has begun', () => received.has(stream));
    streams.push(stream);
  }
  await until('one more is refused, whose worker may learn of the others a moment later', async () => {
    const stream = await open();
    stream.destroy();
    return stream.statusCode === 503;
  });
  const suspended = await send(node, '/api/accounts/una/suspend', { method: 'POST', address: 'admin', token });
  assert.is(suspended.statusCode, 200, await textOf(suspended));
  await until('all have it', () =>
    streams.every((stream) => /"type":"account.suspended"/.test(received.get(stream) ?? '')),
  );
  for (const stream of streams) stream.destroy();
  await until('there is room again', async () => {
    const stream = await open();
    stream.destroy();
    return stream.statusCode === 200;
  });
});

test('figures of all workers are one page, which says whose are missing', async () => {
  const data = temporaryFolder();
  const node = await start(data);
  const [token, admin] = [await node.login('una'), await node.login('root', undefined, 'admin')];
  const valueOf = (page: string, sample: string) =>
    Number(
      page
        .split('\n')
        .find((line) => line.startsWith(`${sample} `))
        ?.split(' ')
        .at(-1),
    );
  const page = async () => textOf(await send(node, '/metrics', { address: 'admin', token: admin }));
  await Promise.all(Array.from({ length: 30 }, async () => textOf(await send(node, '/api/domains', { token }))));
  let whole = '';
  const isUp = (text: string, worker: number) => valueOf(text, `hostkeep_worker_up{worker="${worker}"}`) === 1;
  await until('each answers in time', async () => {
    whole = await page();
    return isUp(whole, 1) && isUp(whole, 2);
  });
  const requests = 'hostkeep_http_requests_total{address="user",method="GET",route="/api/domains",status="200"}';
  assert.is(valueOf(whole, requests), 30, 'summed');
  assert.is(valueOf(whole, 'hostkeep_users'), 1, 'the same in all');
  assert.is(valueOf(whole, 'hostkeep_events_total{type="login"}'), 2, 'counted where it was recorded');
  const names = [...whole.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  assert.is(new Set(names).size, names.length);
  const [stopped = 0] = node.children;
  process.kill(stopped, 'SIGSTOP');
  try {
    // Both at once, since a worker that is stopped for too long is killed. Those that the stopped one has wait for it.
    const pages = Array.from({ length: 24 }, page);
    const lists = Array.from({ length: 24 }, async () =>
      textOf(await send(node, '/api/plugins', { address: 'admin', token: admin })),
    );
    const [part, plugins] = await Promise.all([Promise.any(pages), Promise.any(lists)]);
    assert.equal([isUp(part, 1), isUp(part, 2)], [false, true]);
    assert.equal((JSON.parse(plugins) as { silent_workers: number[] }).silent_workers, [1]);
    await node.line(/"worker":1,"problem":"no answer within 2 s"/);
  } finally {
    process.kill(stopped, 'SIGCONT');
  }
  await until('none is silent', async () => {
    const plugins = await textOf(await send(node, '/api/plugins', { address: 'admin', token: admin }));
    return !plugins.includes('silent_workers');
  });
});

test('webhooks go on when the worker that delivers them dies', async () => {
  const sink = await WebhookSink.open();
  const node = await start(temporaryFolder(), { webhooks: sink.settings });
  const delivered = (type: string) => [...sink.events.values()].filter((event) => event.type === type).length;
  const token = await node.login('root', undefined, 'admin');
  await until('the leader delivers', () => delivered('login') === 1);
  process.kill(node.children[0] ?? 0, 'SIGKILL'); // the first one leads
  await node.line(/a worker ended; replacing it/);
  const suspended = await send(node, '/api/accounts/una/suspend', { method: 'POST', address: 'admin', token });
  assert.is(suspended.statusCode, 200, await textOf(suspended));
  await until('its follower delivers', () => delivered('account.suspended') === 1);
});

test('a domain that a worker was adding when it died is removed by the leader', async () => {
  const data = temporaryFolder();
  const node = await start(data);
  const [, other = 0] = node.children;
  const fields = readFileSync(`/proc/${other}/stat`, 'utf8').split(') ')[1]?.split(' ');
  const core = await openCore(testConfig(data), createLog('silent'));
  try {
    const una = await core.accounts.get('una');
    await core.store.write((tx) =>
      tx.run(
        `insert into domains (account_id, name, reversed, docroot, is_main, state, claimed_by, created_at)
          values (?, 'half.example', 'example.half', '', 1, 'adding', ?, 1)`,
        una.id,
        `${other}:${fields?.[19]}`,
      ),
    );
    const left = () => core.store.get("select 1 from domains where name = 'half.example'");
    assert.ok(await left());
    process.kill(other, 'SIGKILL');
    await until('it is removed', async () => (await left()) === undefined);
  } finally {
    await core.close();
  }
});

test('a domain that was added is listed by all workers', async () => {
  const data = temporaryFolder();
  const node = await start(data);
  const token = await node.login('una');
  const listed = async () =>
    Promise.all(
      Array.from({ length: 16 }, async () => {
        const text = await textOf(await send(node, '/api/domains', { token }));
        return (JSON.parse(text) as { total: number }).total;
      }),
    );
  assert.equal(new Set(await listed()), new Set([0]));
  const body = { domain_url: 'seen.example', docroot: '/var/www/html/seen' };
  const added = await send(node, '/api/domains/new', { method: 'POST', token, body });
  assert.is(added.statusCode, 201, await textOf(added));
  await until('all list it', async () => (await listed()).every((total) => total === 1));
});
