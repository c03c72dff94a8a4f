import * as assert from '../../support/assert.ts';
import { TestServer, type Person } from '../../support/hostkeep.ts';
import { pick } from '../../support/lists.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('plans');
let server: TestServer;
let operator: Person;
test.before(async () => {
  server = await TestServer.start();
  operator = await server.admin('operator');
});

test('bad input is refused and changes nothing', async () => {
  // The limits beside them are those of plugins that run, which may change while the server starts.
  const { plans } = await operator.asks('GET /api/plans', 200);
  await operator.rows(
    ['PUT /api/plans/basic/features/nosuch', '400 invalid_request'],
    ['PUT /api/plans/nosuch/features/docker', '404 plan_not_found'],
    ['POST /api/plans', { name: 'basic' }, '409 plan_exists'],
    ['POST /api/plans', { name: 'Bad Name' }, '400 invalid_request'],
    ['POST /api/plans', { name: 'fresh', features: ['nosuch'] }, '400 invalid_request'],
    ['POST /api/plans', { name: 'fresh', limits: { domains_limit: -1 } }, '400 invalid_request'],
    ['PATCH /api/plans/basic', {}, '400 invalid_request'],
    ['PATCH /api/plans/basic', { limits: { domains_limit: 1.5 } }, '400 invalid_request'],
    ['PATCH /api/plans/basic', { limits: { names_limit: -1 } }, '400 invalid_request'],
    ['PATCH /api/plans/basic', { limits: { nosuch: 1 } }, '400 invalid_request'],
    ['GET /api/plans', 200, { plans }],
  );
});

test('lists are paged by cursor', async () => {
  const { plans } = await operator.asks<{ plans: { name: string }[] }>('GET /api/plans?limit=2', 200, {
    next_cursor: 'developer',
  });
  assert.equal(pick(plans, 'name'), ['basic', 'developer']);
  await operator.asks('GET /api/plans?limit=2&cursor=developer', 200, { next_cursor: null });
});

test('plans are created, changed and removed, and the log names the administrator', async () => {
  interface Plan {
    readonly limits: Readonly<Record<string, number>>;
  }
  const tiny = { name: 'tiny', limits: { domains_limit: 2 }, features: ['domains', 'dashboard'] };
  const created = await operator.asks<Plan>('POST /api/plans', tiny, 201, { features: ['dashboard', 'domains'] });
  const { db_limit: databases, names_limit: names } = created.limits;
  assert.equal([databases, names], [0, 500]);
  const change = (body: object, has: object = {}) =>
    operator.asks<Plan>('PATCH /api/plans/tiny', body, 200, { ...has });
  assert.is((await change({ limits: { names_limit: 20 } })).limits['names_limit'], 20);
  const description = 'Small';
  const { limits } = await change({ description, limits: { cpu_limit: 0.5 } }, { description });
  assert.equal([limits['cpu_limit'], limits['names_limit']], [0.5, 20]);
  await server.user('tina', 'tiny');
  await operator.rows(
    ['DELETE /api/plans/tiny', '409 plan_in_use'],
    ['PUT /api/plans/tiny/features/docker', 200],
    ['PUT /api/plans/tiny/features/docker', 200, {}, { events: [] }], // a second time changes nothing
  );
  await server.hostkeep.core.accounts.remove('tina');
  await operator.asks('DELETE /api/plans/tiny', 200, { name: 'tiny', deleted: true });
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
  await server.user('wanda', 'standard');
  const warning = /nothing on this server provides dns/;
  for (const target of ['plans/basic', 'accounts/wanda'])
    await operator.rows(
      [`PUT /api/${target}/features/dns`, 200, { warning }],
      [`PUT /api/${target}/features/domains`, 200, { warning: null }],
    );
});

test('a change on condition of an ETag is refused where there is none', async () => {
  const headers = { 'if-match': '"any"' };
  const before = await operator.asks('GET /api/plans/basic', 200);
  await operator.rows(
    ['PATCH /api/plans/basic', { description: 'Lost' }, '412 no_entity_tag', {}, { headers }],
    ['PATCH /api/plans/basic', {}, 400, {}, { headers }], // what is wrong without the condition is said first
    ['GET /api/plans/basic', 200, before],
    ['PATCH /api/plans/basic', { description: 'Kept' }, 200, {}, { headers: { 'if-match': '*' } }],
  );
});
