/** Billing: what customers use, and everything that a billing module does, with one API token. */
import * as assert from '../../support/assert.ts';
import type { ExtensionPoints } from '../../../kernel/contract/extension-points.ts';
import { definePlugin } from '../../../kernel/contract/plugin.ts';
import { IDLE } from '../../../kernel/contract/points/account-report.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import usage from '../../../plugins/usage/index.ts';
import { allPlugins, PASSWORD, TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';
import { logIn } from '../../support/account-client.ts';
import { pick } from '../../support/lists.ts';

const test = testSuite('usage: accounts, and billing');
type Body = Record<string, unknown>;
interface Use {
  readonly used: number | null;
  readonly limit: number;
}
interface Row extends Readonly<
  Record<'disk_kib' | 'inodes' | 'domains' | 'websites' | 'databases' | 'traffic_mib' | 'bandwidth', Use>
> {
  readonly username: string;
  readonly plan: string | null;
  readonly suspended: boolean;
  readonly cpu_percent: number | null;
  readonly memory_bytes: number | null;
  readonly measured_at: string | null;
}
interface Page {
  readonly accounts: readonly Row[];
  readonly next_cursor: string | null;
}
const USAGE = '/api/usage/accounts';
let server: TestServer;
let token: string;
test.before(async () => {
  server = await TestServer.start({ config: { plugins: { containers: false } } }); // what a purge has to ask is there
  const { account } = await server.admin();
  token = await scriptOf(account, ['accounts:read', 'accounts:write', 'usage:read']);
});

async function scriptOf(account: Account, scopes: readonly string[]): Promise<string> {
  const wanted = { name: 'billing', scopes, networks: [], expiresAt: Date.now() + 86_400_000 };
  return (await server.hostkeep.core.tokens.make(account, wanted, '')).token;
}
const send = async (method: string, path: string, body?: Body) => {
  const answer = await server.ask<Body>(path, { method, token, address: 'admin', ...(body && { body }) });
  return { status: answer.status, body: answer.body };
};
const page = async (query = '') => (await server.ask<Page>(`${USAGE}${query}`, { token, address: 'admin' })).body;

test('usage of accounts is for administrators and their tokens with the scope', async () => {
  const { token: user } = await server.user('ulf');
  assert.is((await server.ask(USAGE, { address: 'admin' })).status, 401);
  assert.is((await server.ask(USAGE, { address: 'admin', token: user })).status, 401);
  assert.is((await server.ask(USAGE, { token: user })).status, 404);
  const other = await scriptOf(await server.hostkeep.core.accounts.get('root'), ['accounts:read']);
  assert.is((await server.ask(USAGE, { address: 'admin', token: other })).status, 403);
  for (const bad of [
    '?limit=0',
    '?limit=501',
    '?page=2',
    '?suspended=maybe',
    '?sort=username2',
    '?sort=-inodes&cursor=x',
  ])
    assert.is((await server.ask(`${USAGE}${bad}`, { address: 'admin', token })).status, 400, bad);
});

test("a customer's usage is listed with the plan's limits", async () => {
  const { token: own } = await server.user('uma', 'basic');
  const added = await server.ask('/api/domains/new', {
    method: 'POST',
    token: own,
    body: { domain_url: 'uma.example' },
  });
  assert.is(added.status, 201);
  const rowOf = async () => (await page()).accounts.find(({ username }) => username === 'uma');
  const row = await rowOf();
  assert.equal(row?.domains, { used: 1, limit: 1 });
  assert.equal(row?.disk_kib.limit, 5120 * 1024);
  assert.equal(row?.bandwidth, { used: null, limit: 100 });
  assert.equal(row?.traffic_mib, { used: null, limit: 102_400 });
  assert.ok(
    (await page()).accounts.every(({ username }) => username !== 'root'),
    'administrators are no customers',
  );
  await until('the files are measured', async () => (await rowOf())?.measured_at !== null);
  const measured = await rowOf();
  assert.ok((measured?.disk_kib.used ?? 0) > 0 && (measured?.inodes.used ?? 0) > 0);
});

test('pages hold each customer once, by name, and filters hold', async () => {
  for (let i = 0; i < 7; i += 1) await server.account(`page-${i}`, 'standard');
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { accounts, next_cursor: next }: Page = await page(`?limit=2&plan=standard&cursor=${cursor}`);
    seen.push(...accounts.map(({ username }) => username));
    cursor = next;
  }
  assert.equal(
    seen,
    Array.from({ length: 7 }, (_, i) => `page-${i}`),
  );
  await server.hostkeep.core.accounts.suspend('page-3');
  assert.equal(pick((await page('?suspended=true')).accounts, 'username'), ['page-3']);
});

// threat stolen-token: a token for billing manages customers, and no administrator
test('a billing module does each of its acts in one call, with a token', async () => {
  const created = await send('POST', '/api/accounts', { username: 'bill', password: PASSWORD, plan: 'basic' });
  assert.equal([created.status, created.body['plan']], [201, 'basic']);
  assert.is((await logIn(server, 'bill')).status, 200);
  assert.is((await send('POST', '/api/accounts/bill/suspend')).body['suspended'], true);
  assert.is((await logIn(server, 'bill')).status, 401);
  assert.is((await send('POST', '/api/accounts/bill/unsuspend')).body['suspended'], false);
  assert.is((await send('PATCH', '/api/accounts/bill', { plan: 'developer' })).body['plan'], 'developer');
  const password = 'another long password';
  assert.is((await send('PUT', '/api/accounts/bill/password', { password })).status, 200);
  assert.equal([(await logIn(server, 'bill')).status, (await logIn(server, 'bill', { password })).status], [401, 200]);
  const ended = await send('DELETE', '/api/accounts/bill?purge=true');
  assert.equal([ended.status, (ended.body['purge'] as Body)['state']], [200, 'complete']);
  const again = await send('POST', '/api/accounts', { username: 'bill', password: PASSWORD, plan: 'basic' });
  assert.is(again.status, 201, 'the name is free');
  const admin = await send('POST', '/api/accounts', { username: 'thief', password: PASSWORD, role: 'admin' });
  assert.equal([admin.status, admin.body['error']], [403, 'session_required']);
});

test('customers are listed by what they take now, each on one page', async () => {
  const loads = { calm: 1, busy: 250, idle: 0, hidden: undefined } as Record<string, number | undefined>;
  const measuring = definePlugin({
    name: 'measuring',
    features: [],
    routes: {},
    setup: () => ({
      handlers: {},
      provides: {
        accountsLoad: (accounts) =>
          new Map(
            accounts.flatMap(({ id, username }) => {
              const cpuPercent = loads[username];
              return cpuPercent === undefined ? [] : [[id, { cpuPercent, memoryBytes: 1000 * cpuPercent }] as const];
            }),
          ),
      },
    }),
  });
  const others = (await allPlugins()).filter(({ name }) => !['system', 'containers'].includes(name));
  const own = await TestServer.start({ plugins: [...others, measuring] });
  const { token: admin } = await own.admin();
  for (const name of Object.keys(loads)) await own.account(name);
  const ask = async <T>(path: string) => (await own.ask<T>(path, { token: admin, address: 'admin' })).body;
  const seen: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { accounts, next_cursor: next }: Page = await ask(`${USAGE}?sort=-cpu_percent&limit=1&cursor=${cursor}`);
    seen.push(...accounts.map(({ username, cpu_percent, memory_bytes }) => [username, cpu_percent, memory_bytes]));
    cursor = next;
  }
  const [busy, calm, idle, hidden] = [
    ['busy', 250, 250_000],
    ['calm', 1, 1000],
    ['idle', 0, 0],
    ['hidden', null, null],
  ];
  assert.equal(seen, [busy, calm, idle, hidden]);
  const named = (await ask<Page>(`${USAGE}?q=BUS`)).accounts;
  assert.equal(
    named.map(({ username, cpu_percent }) => [username, cpu_percent]),
    [['busy', 250]],
    'by name too, once they are sampled',
  );
  assert.equal(pick((await ask<Page>(`${USAGE}?sort=memory_bytes&limit=2`)).accounts, 'username'), ['hidden', 'idle']);
});

test('a load of which a part is missing is not known', async () => {
  const measuring = (name: string, accountsLoad: ExtensionPoints['accountsLoad']) =>
    definePlugin({ name, features: [], routes: {}, setup: () => ({ handlers: {}, provides: { accountsLoad } }) });
  const known = measuring('known', (accounts) => new Map(accounts.map(({ id }) => [id, IDLE])));
  const failing = measuring('failing', () => Promise.reject(new Error('the engine is down')));
  const own = await TestServer.start({ plugins: [usage, known, failing] });
  const { token: admin } = await own.admin();
  await own.account('ann');
  const { body } = await own.ask<Page>(`${USAGE}?sort=-cpu_percent`, { token: admin, address: 'admin' });
  assert.is(body.accounts[0]?.cpu_percent, null);
});
