import * as assert from '../../support/assert.ts';
import { TestServer, type RequestOptions } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('plans');
let server: TestServer;
let token: string;
test.before(async () => {
  server = await TestServer.start();
  token = (await server.admin('operator')).token;
});

type Body = Record<string, unknown> & { error?: string };
const ask = (path: string, question: RequestOptions = {}) =>
  server.ask<Body>(path, { token, address: 'admin', ...question });
const put = (path: string) => ask(path, { method: 'PUT' });
const patch = (path: string, body: unknown) => ask(path, { method: 'PATCH', body });
const post = (path: string, body: unknown) => ask(path, { method: 'POST', body });
const del = (path: string) => ask(path, { method: 'DELETE' });

test('bad input is refused and changes nothing', async () => {
  // The limits beside them are those of plugins that run, which may change while the server starts.
  const plans = async () => (await ask('/api/plans')).body['plans'];
  const before = await plans();
  const cases: [string, string, unknown, string][] = [
    ['PUT', '/api/plans/basic/features/nosuch', undefined, 'invalid_request'],
    ['PUT', '/api/plans/nosuch/features/docker', undefined, 'plan_not_found'],
    ['POST', '/api/plans', { name: 'basic' }, 'plan_exists'],
    ['POST', '/api/plans', { name: 'Bad Name' }, 'invalid_request'],
    ['POST', '/api/plans', { name: 'fresh', features: ['nosuch'] }, 'invalid_request'],
    ['POST', '/api/plans', { name: 'fresh', limits: { domains_limit: -1 } }, 'invalid_request'],
    ['PATCH', '/api/plans/basic', {}, 'invalid_request'],
    ['PATCH', '/api/plans/basic', { limits: { domains_limit: 1.5 } }, 'invalid_request'],
    ['PATCH', '/api/plans/basic', { limits: { names_limit: -1 } }, 'invalid_request'],
    ['PATCH', '/api/plans/basic', { name: 'other' }, 'invalid_request'],
    ['PATCH', '/api/plans/basic', { limits: { nosuch: 1 } }, 'invalid_request'],
  ];
  for (const [method, path, body, error] of cases) {
    const answer = await ask(path, { method, ...(body === undefined ? {} : { body }) });
    assert.is(answer.body.error, error, `${method} ${path} ${JSON.stringify(body)}`);
  }
  assert.equal(await plans(), before);
});

test('lists are paged by cursor', async () => {
  const { body } = await ask('/api/plans?limit=2');
  assert.equal(
    (body['plans'] as { name: string }[]).map((each) => each.name),
    ['basic', 'developer'],
  );
  assert.is(body['next_cursor'], 'developer');
  assert.is((await ask('/api/plans?limit=2&cursor=developer')).body['next_cursor'], null);
});

test('plans are created, changed and removed, and the log names the administrator', async () => {
  const created = await post('/api/plans', {
    name: 'tiny',
    limits: { domains_limit: 2 },
    features: ['domains', 'dashboard'],
  });
  assert.is(created.status, 201);
  assert.equal(created.body['features'], ['dashboard', 'domains']);
  const limitsIn = ({ body }: { body: Record<string, unknown> }) => body['limits'] as Record<string, number>;
  const { db_limit: databases, names_limit: names } = limitsIn(created);
  assert.equal([databases, names], [0, 500]);
  assert.is(limitsIn(await patch('/api/plans/tiny', { limits: { names_limit: 20 } }))['names_limit'], 20);
  const changed = await patch('/api/plans/tiny', { description: 'Small', limits: { cpu_limit: 0.5 } });
  const { cpu_limit: processors, names_limit: kept } = limitsIn(changed);
  assert.equal([changed.body['description'], processors, kept], ['Small', 0.5, 20]);
  await server.user('tina', 'tiny');
  assert.is((await del('/api/plans/tiny')).body.error, 'plan_in_use');
  assert.is((await put('/api/plans/tiny/features/docker')).status, 200);
  assert.is((await put('/api/plans/tiny/features/docker')).status, 200, 'a second time changes nothing');
  await server.hostkeep.core.accounts.remove('tina');
  assert.equal((await del('/api/plans/tiny')).body, { name: 'tiny', deleted: true });
  const events = (await server.hostkeep.core.events.after(0, 10_000)).filter(
    ({ data }) => data['plan'] === 'tiny' && data['account_id'] === undefined && 'plan' in data,
  );
  const told = events.filter(({ username }) => username === 'operator').map(({ type, ip }) => `${type} ${ip}`);
  assert.equal(told, [
    'plan.created 127.0.0.1',
    'plan.changed 127.0.0.1',
    'plan.changed 127.0.0.1',
    'feature.toggled 127.0.0.1',
    'plan.removed 127.0.0.1',
  ]);
});

test('switching on what nothing provides says so', async () => {
  const warningOf = async (path: string) => (await put(path)).body['warning'];
  for (const target of ['plans/basic', 'accounts/wanda']) {
    if (target.endsWith('wanda')) await server.user('wanda', 'standard');
    assert.match(String(await warningOf(`/api/${target}/features/dns`)), /nothing on this server provides dns/);
    assert.is(await warningOf(`/api/${target}/features/domains`), null);
  }
});

test('a change on condition of an ETag is refused where there is none', async () => {
  const change = (ifMatch: string, body: unknown) =>
    ask('/api/plans/basic', { method: 'PATCH', body, headers: { 'if-match': ifMatch } });
  const before = (await ask('/api/plans/basic')).body;
  const refused = await change('"any"', { description: 'Lost' });
  assert.equal([refused.status, refused.body.error], [412, 'no_entity_tag']);
  assert.is((await change('"any"', {})).status, 400, 'what is wrong without the condition is said first');
  assert.equal((await ask('/api/plans/basic')).body, before);
  assert.is((await change('*', { description: 'Kept' })).status, 200);
});
