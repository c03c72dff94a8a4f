import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as assert from 'uvu/assert';
import { createLog } from '../../kernel/log.ts';
import { definePlugin } from '../../kernel/plugin-api/plugin.ts';
import { Type } from '../../kernel/schema.ts';
import { EventCounter } from '../../plugins/metrics/event-counter.ts';
import { exposition } from '../../plugins/metrics/exposition.ts';
import { allPlugins, TestServer } from '../support/hostkeep.ts';
import { reportSkipped, testSuite } from '../support/suite.ts';

const TOKEN = 'only for the scraper 0123456789';
const test = testSuite('metrics');
const log = createLog('silent');
let server: TestServer;

/** A plugin that fails, and one with unusual metrics: neither may break the page. */
const failing = definePlugin({
  name: 'failing',
  features: [],
  routes: {},
  setup: () => ({ handlers: {}, provides: { metrics: () => Promise.reject(new Error('no metrics')) } }),
});
const odd = definePlugin({
  name: 'odd',
  features: [],
  routes: {
    show: {
      method: 'GET',
      path: '/api/odd/:id',
      address: 'admin',
      access: 'admin',
      summary: 'Is odd',
      params: Type.Object({ id: Type.String() }),
      reply: Type.Object({}),
    },
  },
  setup: () => ({
    handlers: { show: () => ({}) },
    provides: {
      metrics: () => [
        {
          name: 'hostkeep_odd_things',
          help: 'a line\nand a \\',
          type: 'gauge',
          samples: [{ labels: { name: 'a "quoted"\nname\\' }, value: 1 }],
        },
        { name: 'hostkeep_sessions', help: 'taken', type: 'gauge', samples: [{ value: -1 }] },
        { name: 'no name', help: '', type: 'gauge', samples: [{ value: -1 }] },
      ],
    },
  }),
});

test.before(
  async () =>
    void (server = await TestServer.start({
      config: { metrics: { token: TOKEN } },
      plugins: [...(await allPlugins()), failing, odd],
    })),
);
test.after(() => server.close());

const scrape = (authorization?: string) =>
  server.ask<string>('/metrics', {
    address: 'admin',
    ...(authorization === undefined ? {} : { headers: { authorization } }),
  });

// asvs 13.4.5: /metrics requires a token
test("without its own token or an administrator's it returns the same 401 as every route", async () => {
  const { token } = await server.user('ann');
  const other = await server.ask<Record<string, unknown>>('/api/odd/1', { address: 'admin' });
  for (const authorization of [
    undefined,
    '',
    'Bearer',
    `Bearer ${TOKEN}x`,
    `Basic ${TOKEN}`,
    `Bearer ${token}`,
    'Bearer a.b.c',
    `Bearer ${TOKEN.slice(0, -1)}`,
  ]) {
    const { status, body, headers } = await scrape(authorization);
    assert.is(status, 401, authorization);
    assert.is(headers.get('www-authenticate'), 'Bearer');
    const { request_id: _, ...problem } = body as unknown as Record<string, unknown>;
    assert.equal({ ...problem, request_id: '' }, { ...other.body, request_id: '' });
  }
  assert.is((await server.ask('/metrics', { token })).status, 404, 'not on the user address');
});

test('the token for metrics opens nothing else', async () => {
  assert.is(
    (await server.ask('/api/odd/1', { address: 'admin', headers: { authorization: `Bearer ${TOKEN}` } })).status,
    401,
  );
});

test('an empty token in the configuration admits nobody', async () => {
  const closed = await TestServer.start();
  for (const authorization of ['Bearer ', 'Bearer', 'Bearer  ', 'Bearer undefined'])
    assert.is((await closed.ask('/metrics', { address: 'admin', headers: { authorization } })).status, 401);
  await closed.close();
});

test('both tokens are accepted, and the page has what an operator needs', async () => {
  const { token } = await server.admin();
  await server.ask('/api/odd/1', { token, address: 'admin' });
  await server.ask('/api/odd/2', { token, address: 'admin' });
  const { status, body, headers } = await scrape(`Bearer ${token}`);
  assert.is(status, 200);
  assert.is(headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  assert.match(
    body,
    /^hostkeep_http_requests_total\{address="admin",method="GET",route="\/api\/odd\/:id",status="200"\} 2$/m,
  );
  assert.match(
    body,
    /^hostkeep_http_request_duration_seconds_bucket\{address="admin",method="GET",route="\/api\/odd\/:id",le="\+Inf"\} \d+$/m,
  );
  const series = body
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.replace(/ \S+$/, ''));
  assert.is(new Set(series).size, series.length, 'no series is there twice');
  assert.match(body, /^hostkeep_event_loop_delay_p99_seconds [\d.e-]+$/m);
  assert.match(body, /^hostkeep_plugin_up\{plugin="metrics"\} 1$/m);
  assert.match(body, /^hostkeep_sessions [12]$/m);
  assert.match(body, /^hostkeep_events_total\{type="account.created"\} \d+$/m);
  assert.is((await scrape(`Bearer ${TOKEN}`)).status, 200);
  assert.is((await scrape(`bearer ${TOKEN}`)).status, 200, 'the scheme is not case-sensitive');
});

test('a plugin that fails loses only its own metrics, and is reported', async () => {
  const { body } = await scrape(`Bearer ${TOKEN}`);
  assert.match(body, /^hostkeep_collect_success\{plugin="failing"\} 0$/m);
  assert.match(body, /^hostkeep_collect_success\{plugin="odd"\} 1$/m);
  assert.match(body, /^hostkeep_odd_things\{name="a \\"quoted\\"\\nname\\\\"\} 1$/m);
  assert.not.match(body, /-1|no name/);
});

test('undeclared paths create no labels', async () => {
  for (let i = 0; i < 20; i += 1) await server.ask(`/undeclared/${i}`, { address: 'admin' });
  assert.not.match((await scrape(`Bearer ${TOKEN}`)).body, /undeclared/);
});

if (spawnSync('promtool', ['--version']).error !== undefined)
  reportSkipped('no promtool here; apt-get install --no-install-recommends prometheus');
else
  test('promtool finds nothing wrong with the page', async () => {
    const { body } = await scrape(`Bearer ${TOKEN}`);
    const promtool = spawn('promtool', ['check', 'metrics'], { stdio: ['pipe', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [promtool.stdout, promtool.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    promtool.stdin.end(body);
    const [code] = await once(promtool, 'close');
    assert.is(output, '');
    assert.is(code, 0);
  });

test('the number of labels is bounded', async () => {
  const counter = new EventCounter();
  for (let i = 0; i < 1000; i += 1) counter.count(`type.${i}`);
  assert.is(counter.metric().samples.length, 201);
  const text = await exposition(
    [
      {
        name: 'many',
        help: 'x',
        type: 'gauge',
        samples: Array.from({ length: 10_000 }, (_, i) => ({ labels: { i }, value: i })),
      },
    ],
    log,
  );
  assert.is(text.split('\n').filter((line) => line.startsWith('many')).length, 5000);
});
