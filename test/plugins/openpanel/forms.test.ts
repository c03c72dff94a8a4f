/** Rows whose operations need a service that these tests do not start: what they call, and what becomes of the answers. */
import * as assert from '../../support/assert.ts';
import type { RouteAnswer, RouteCalls, RouteInput } from '../../../kernel/contract/route-calls.ts';
import type { Call } from '../../../kernel/contract/route-spec.ts';
import { adminRows } from '../../../plugins/openpanel/admin-rows.ts';
import { answer } from '../../../plugins/openpanel/translation.ts';
import { userRows } from '../../../plugins/openpanel/user-rows.ts';
import { codeOf } from '../../support/code-of.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('openpanel: forms');

/** Asks a row, whose operations answer with these values; resolves with the reply, and with what was called except lists. */
async function asked(is: string, given: Partial<Record<'params' | 'body', object>>, values: Record<string, unknown>) {
  const row = [...userRows, ...adminRows].find((each) => each.is === is);
  if (row === undefined) throw new Error(`no row is ${is}`);
  const changes: [operation: string, input: RouteInput][] = [];
  const call = async (_: Call, operation: string, { headers: __, ...input }: RouteInput = {}): Promise<RouteAnswer> => {
    assert.ok(operation in values, operation);
    if (!operation.startsWith('GET ')) changes.push([operation, input]);
    return { status: 200, value: values[operation], reply: undefined };
  };
  const signal = new AbortController().signal;
  const reply = await answer({ call, usable: () => [] } as RouteCalls, row, { ...given, signal } as unknown as Call);
  return { reply, changes };
}

test('a certificate is ordered, and takes the place of the own one only if it can be', async () => {
  const of = (is_own: boolean) => ({ domain_url: 'a.example', state: 'valid', is_own });
  const ask = (isOwn: boolean, is_issuing = true) =>
    asked(
      'POST /api/domains/:domain/ssl',
      { params: { domain: 'a.example' }, body: { action: 'auto' } },
      {
        'GET /api/certificates': { certificates: [{ ...of(true), domain_url: 'b.example' }, of(isOwn)], is_issuing },
        'DELETE /api/certificates/:domain': of(false),
        'POST /api/certificates/:domain/request': of(false),
      },
    );
  const params = { domain: 'a.example' };
  const reply = { domain: 'a.example', ssl_mode: 'auto', ...of(false) };
  assert.equal(await ask(true), { reply, changes: [['DELETE /api/certificates/:domain', { params }]] });
  for (const asking of [ask(false), ask(true, false)])
    // the latter is refused by the operation
    assert.equal(await asking, { reply, changes: [['POST /api/certificates/:domain/request', { params }]] });
});

test('a domain is suspended for OpenPanel whoever suspended it', async () => {
  for (const [suspended, suspended_by_operator, status] of [
    [false, false, 'active'],
    [true, false, 'suspended'],
    [false, true, 'suspended'],
  ]) {
    const domain = { domain_url: 'a.example', suspended, suspended_by_operator };
    const { reply } = await asked(
      'GET /api/domains/:domain/status',
      { params: { domain: 'a.example' } },
      {
        'GET /api/domains': { domains: [domain] },
        'GET /api/certificates': { certificates: [{ domain_url: 'a.example', state: 'valid' }] },
      },
    );
    assert.equal(reply, { domain: 'a.example', ssl: 'valid', status });
  }
});

test('databases, their users and what these may are told for both engines', async () => {
  const access = [{ database: 'ann_shop', privileges: ['SELECT'], level: 'owner' }];
  const users = [{ name: 'ann_app', host: 'localhost', is_locked: false, access }];
  const its = { 'GET /api/database-users': users };
  const rights = (database: string, username = 'ann_app') =>
    asked(
      'GET /api/mysql/users/:db_user/privileges/:db_name',
      { params: { db_user: username, db_name: database } },
      its,
    );
  assert.is(await codeOf(rights('ann_shop', 'ann_other')), 'database_user_not_found');
  for (const [database, privileges] of [
    ['ann_shop', ['SELECT']],
    ['ann_blog', []],
  ] as const)
    assert.equal((await rights(database)).reply, { username: 'ann_app', database, privileges });

  const assigned_databases = [{ username: 'ann_app', database: 'ann_shop' }];
  const mysql = await asked('GET /api/mysql/info', {}, { ...its, 'GET /api/databases': { databases: ['ann_shop'] } });
  assert.equal(mysql.reply, {
    databases: ['ann_shop'],
    users: [{ username: 'ann_app', host: 'localhost' }],
    assigned_databases,
  });
  const postgresql = await asked(
    'GET /api/postgresql/info',
    {},
    {
      'GET /api/postgresql/databases': { databases: [{ name: 'ann_shop', size_bytes: 1 }] },
      'GET /api/postgresql/users': [{ name: 'ann_app', is_locked: false, access }],
    },
  );
  assert.equal(postgresql.reply, {
    databases: ['ann_shop'],
    users: [{ username: 'ann_app', host: '%' }],
    assigned_databases,
  });
});

test('a service is switched on and off, or restarted, by either path', async () => {
  const service = { service: 'redis', is_on: true, is_running: true };
  const values = { 'POST /api/services/:service/restart': service, 'PUT /api/services/:service': service };
  const params = { service: 'redis' };
  for (const [is, action, change] of [
    ['POST /api/cache/redis', 'enable', ['PUT /api/services/:service', { params, body: { is_on: true } }]],
    ['POST /api/cache/redis', 'disable', ['PUT /api/services/:service', { params, body: { is_on: false } }]],
    ['POST /api/cache/redis', 'restart', ['POST /api/services/:service/restart', { params }]],
    ['POST /api/services/:service', 'start', ['PUT /api/services/:service', { params, body: { is_on: true } }]],
    ['POST /api/services/:service', 'restart', ['POST /api/services/:service/restart', { params }]],
  ] as const) {
    const { reply, changes } = await asked(is, { ...(is.includes(':') && { params }), body: { action } }, values);
    assert.equal(changes, [change], `${is} ${action}`);
    assert.equal(reply, { ...service, container_state: 'running' });
  }
});

// threat other-accounts: a name that only contains the one that is meant is another one's
test('a domain is changed for the account that has exactly this one', async () => {
  const owned = (domain_url: string, username: string) => ({ domain_url, username, docroot: '/var/www/html' });
  const values = {
    'GET /api/domains': { domains: [owned('my-a.example', 'bea'), owned('a.example', 'ann')], next_cursor: null },
    'PUT /api/accounts/:username/domains/:domain/suspended': {},
    'DELETE /api/accounts/:username/domains/:domain': {},
  };
  const ask = (verb: string, domain: string) =>
    asked(`POST /api/domains/${verb}/:domain`, { params: { domain } }, values);
  assert.is(await codeOf(ask('delete', 'y-a.example')), 'domain_not_found');
  const params = { username: 'ann', domain: 'a.example' };
  const held = 'PUT /api/accounts/:username/domains/:domain/suspended';
  assert.equal((await ask('suspend', 'a.example')).changes, [[held, { params, body: { suspended: true } }]]);
  assert.equal((await ask('unsuspend', 'a.example')).changes, [[held, { params, body: { suspended: false } }]]);
  assert.equal((await ask('delete', 'a.example')).changes, [
    ['DELETE /api/accounts/:username/domains/:domain', { params }],
  ]);
});
