import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { createLog } from '../../../../kernel/log.ts';
import { projectDir } from '../../../../kernel/kit/files/project-dir.ts';
import { definePlugin } from '../../../../kernel/contract/plugin.ts';
import { Type } from '../../../../kernel/schema.ts';
import { certificateMetrics } from '../../../../plugins/metrics/certificate.ts';
import { EventCounter } from '../../../../plugins/metrics/event-counter.ts';
import { exposition } from '../../../../plugins/metrics/exposition.ts';
import { selfSigned } from '../../../support/certificate.ts';
import { allPlugins, TestServer } from '../../../support/hostkeep.ts';
import { reportSkipped, testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';

const TOKEN = 'only for the scraper 0123456789';
const ALERTS = 'config/prometheus/alerts.yml';
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
        { name: 'hostkeep_events', help: 'family of a counter', type: 'gauge', samples: [{ value: -1 }] },
        { name: 'hostkeep_odd', help: 'counter without its ending', type: 'counter', samples: [{ value: -1 }] },
        { name: 'hostkeep_odd_total', help: 'gauge with it', type: 'gauge', samples: [{ value: -1 }] },
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

const scrape = (authorization?: string) =>
  server.ask<string>('/metrics', {
    address: 'admin',
    ...(authorization === undefined ? {} : { headers: { authorization } }),
  });

/** The page with the parts of all plugins, but of the failing one: on a busy machine a part may be too late. */
const scrapeAll = () =>
  eventually(
    'all parts are there',
    () => scrape(`Bearer ${TOKEN}`),
    ({ body }) => !/^hostkeep_collect_success\{plugin="(?!failing")[^"]+"\} 0$/m.test(body),
  );

// asvs 13.4.5: /metrics requires a token
test("without its token or an administrator's it returns the usual 401", async () => {
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
  assert.match(body, /^process_open_fds \d+$/m);
  assert.match(body, /^process_max_fds \d{3,}$/m);
  assert.match(body, /^hostkeep_plugin_up\{plugin="metrics"\} 1$/m);
  assert.match(body, /^hostkeep_sessions [12]$/m);
  assert.match(body, /^hostkeep_events_total\{type="account.created"\} \d+$/m);
  assert.is((await scrape(`Bearer ${TOKEN}`)).status, 200);
  assert.is((await scrape(`bearer ${TOKEN}`)).status, 200, 'the scheme is not case-sensitive');
});

// threat crossed-scopes: an API token reads metrics with their scope only, and from its networks
test("an administrator's API token with the scope reads metrics only", async () => {
  const { account, token: session } = await server.admin('scraping');
  const { tokens } = server.hostkeep.core;
  const make = async (scopes: readonly string[], networks: readonly string[] = []) => {
    const wanted = { name: 'prometheus', scopes, networks, expiresAt: Date.now() + 60_000 };
    return (await tokens.make(account, wanted, '')).token;
  };
  assert.is((await scrape(`Bearer ${await make(['metrics:read'], ['192.0.2.0/24'])}`)).status, 401);
  const other = await scrape(`Bearer ${await make(['accounts:read', 'metrics:write'])}`);
  const { error, scope } = other.body as unknown as Record<string, unknown>;
  assert.equal([other.status, error, scope], [403, 'scope_required', 'metrics:read']);
  const token = await make(['metrics:read']);
  assert.is((await scrape(`Bearer ${token}`)).status, 200);
  assert.is((await server.ask('/api/accounts', { address: 'admin', token })).status, 403);
  const { body } = await server.ask<{ scopes: { scope: string; routes: string[] }[] }>('/api/account/tokens', {
    address: 'admin',
    token: session,
  });
  assert.equal(body.scopes.find(({ scope: each }) => each === 'metrics:read')?.routes, ['GET /metrics']);
});

test('a plugin that fails loses only its own metrics, and is reported', async () => {
  const { body } = await scrapeAll();
  assert.match(body, /^hostkeep_collect_success\{plugin="failing"\} 0$/m);
  assert.match(body, /^hostkeep_collect_success\{plugin="odd"\} 1$/m);
  assert.match(body, /^hostkeep_odd_things\{name="a \\"quoted\\"\\nname\\\\"\} 1$/m);
  assert.not.match(body, / -1$|no name/m);
});

test('a route of both addresses has a series for each', async () => {
  for (const address of ['user', 'admin'] as const) await server.ask('/openapi.json', { address });
  const { body } = await scrape(`Bearer ${TOKEN}`);
  for (const address of ['user', 'admin'])
    assert.match(
      body,
      new RegExp(
        `^hostkeep_http_requests_total\\{address="${address}",method="GET",route="/openapi.json",status="200"\\} 1$`,
        'm',
      ),
    );
});

test('a blocked event loop is in the histogram of its delay', async () => {
  const bucket = async (le: string) => {
    const { body } = await scrape(`Bearer ${TOKEN}`);
    const line = body
      .split('\n')
      .find((each) => each.startsWith(`hostkeep_event_loop_delay_seconds_bucket{le="${le}"}`));
    return Number(line?.split(' ')[1]);
  };
  const long = async () => (await bucket('+Inf')) - (await bucket('0.1'));
  const before = await long();
  for (const end = performance.now() + 250; performance.now() < end;);
  await until('the delay is counted', async () => (await long()) > before);
  const { body } = await scrape(`Bearer ${TOKEN}`);
  const counts = [...body.matchAll(/^hostkeep_event_loop_delay_seconds_bucket\{.+\} (\d+)$/gm)].map((each) =>
    Number(each[1]),
  );
  assert.is(counts.length, 12);
  assert.equal(
    counts,
    counts.toSorted((a, b) => a - b),
    'cumulative',
  );
  assert.match(body, new RegExp(`^hostkeep_event_loop_delay_seconds_count ${counts.at(-1)}$`, 'm'));
});

test('undeclared paths create no labels', async () => {
  for (let i = 0; i < 20; i += 1) await server.ask(`/undeclared/${i}`, { address: 'admin' });
  assert.not.match((await scrape(`Bearer ${TOKEN}`)).body, /undeclared/);
});

if (spawnSync('promtool', ['--version']).error !== undefined)
  reportSkipped('no promtool here; apt-get install --no-install-recommends prometheus');
else {
  const promtool = async (args: readonly string[], input = '') => {
    const child = spawn('promtool', args, { cwd: projectDir, stdio: ['pipe', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stdin.on('error', () => undefined).end(input); // its end says why
    const [code] = (await once(child, 'close')) as [number];
    return { code, output };
  };

  test('promtool finds nothing wrong with the page', async () => {
    assert.equal(await promtool(['check', 'metrics'], (await scrape(`Bearer ${TOKEN}`)).body), { code: 0, output: '' });
  });

  test('each shipped alert fires when it should, and not before', async () => {
    const { code, output } = await promtool(['test', 'rules', 'test/fixtures/prometheus/alerts.yml']);
    assert.is(code, 0, output);
    const lint = await promtool(['check', 'rules', '--lint-fatal', ALERTS]);
    assert.is(lint.code, 0, lint.output);
  });
}

/** The metrics that a text names, and those of them that are not on the page. */
async function metricsIn(text: string) {
  await server.ask('/openapi.json'); // a histogram without requests is empty
  const { body } = await scrapeAll();
  const families = [...body.matchAll(/^# TYPE (\S+)/gm)].map((each) => each[1] ?? '');
  const used = [...new Set(text.match(/\b(?:hostkeep|process|nodejs)_\w+/g))];
  return { used, unknown: used.filter((name) => !families.includes(name.replace(/_bucket$/, ''))) };
}

test('the shipped dashboard has panels on metrics that are there, and only such', async () => {
  const text = readFileSync(join(projectDir, 'config/grafana/hostkeep.json'), 'utf8');
  const { panels } = JSON.parse(text) as { panels: { title: string; targets: { expr: string }[] }[] };
  assert.ok(panels.length > 10);
  for (const { title, targets } of panels)
    for (const { expr } of targets) {
      const { used, unknown } = await metricsIn(expr);
      assert.ok(used.length > 0, `${title} shows a metric`);
      assert.equal(unknown, [], title);
    }
  assert.equal((await metricsIn(text)).unknown, []);
});

test('shipped alerts use metrics that are there, and each has a test', async () => {
  const rules = readFileSync(join(projectDir, ALERTS), 'utf8');
  const { used, unknown } = await metricsIn(rules);
  assert.ok(used.length > 5);
  assert.equal(unknown, []);
  const tests = readFileSync(join(projectDir, 'test/fixtures/prometheus/alerts.yml'), 'utf8');
  for (const [, name] of rules.matchAll(/alert: (\w+)/g)) assert.match(tests, `alertname: ${name}`);
});

test('the number of labels is bounded', async () => {
  const counter = new EventCounter();
  for (let i = 0; i < 1000; i += 1) counter.count(`type.${i}`);
  assert.is(counter.metric().samples.length, 201);
  const samples = Array.from({ length: 10_000 }, (_, i) => ({ labels: { i }, value: i }));
  const text = await exposition([[{ name: 'many', help: 'x', type: 'gauge', samples }]], log);
  assert.is(text.split('\n').filter((line) => line.startsWith('many')).length, 5000);
});

test('the end of the certificate is a metric, where there is a certificate', async () => {
  const samplesOf = async (file: string) => (await certificateMetrics(file))[0]?.samples ?? [];
  assert.equal(await samplesOf(''), []);
  assert.equal(await samplesOf(join(projectDir, 'package.json')), [], 'no certificate');
  assert.equal(await samplesOf('/nowhere.pem'), []);
  const [sample] = await samplesOf(selfSigned('panel.example').cert);
  const hours = ((sample?.value ?? 0) - Date.now() / 1000) / 3600;
  assert.ok(hours > 22 && hours < 25, `${hours} hours`);
});
