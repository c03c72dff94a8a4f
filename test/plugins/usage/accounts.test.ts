/** Billing: what customers use, and everything that a billing module does, with one API token. */
import * as assert from '../../support/assert.ts';
import type { ExtensionPoints } from '../../../kernel/contract/extension-points.ts';
import { definePlugin } from '../../../kernel/contract/plugin.ts';
import { IDLE } from '../../../kernel/contract/points/account-report.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import usage from '../../../plugins/usage/index.ts';
import { allPlugins, PASSWORD, TestServer } from '../../support/hostkeep.ts';
import type { Asker } from '../../support/scenario.ts';
import { domainOwner } from '../../support/domain-owner.ts';
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
const USAGE = '/api/usage/accounts' as const;
let server: TestServer;
let script: Asker;
test.before(async () => {
  server = await TestServer.start({ config: { plugins: { containers: false } } }); // what a purge has to ask is there
  const { account } = await server.admin();
  script = await scriptOf(account, ['accounts:read', 'accounts:write', 'usage:read']);
});

async function scriptOf(account: Account, scopes: readonly string[]): Promise<Asker> {
  const wanted = { name: 'billing', scopes, networks: [], expiresAt: Date.now() + 86_400_000 };
  return server.with((await server.hostkeep.core.tokens.make(account, wanted, '')).token, 'admin');
}
const page = (query = '') => script.asks<Page>(`GET ${USAGE}${query}`, 200);

test('usage of accounts takes a token with the scope, and a query with a sense', async () => {
  const other = await scriptOf(await server.hostkeep.core.accounts.get('root'), ['accounts:read']);
  await other.asks(`GET ${USAGE}`, '403 scope_required');
  for (const bad of ['?limit=501', '?sort=-inodes&cursor=x'])
    await script.asks(`GET ${USAGE}${bad}`, '400 invalid_request');
});

test("a customer's usage is listed with the plan's limits", async () => {
  await domainOwner(server, 'uma', { plan: 'basic' });
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
  const bill = { username: 'bill', password: PASSWORD, plan: 'basic' };
  await script.asks('POST /api/accounts', bill, 201, { plan: 'basic' });
  assert.is((await logIn(server, 'bill')).status, 200);
  await script.asks('POST /api/accounts/bill/suspend', 200, { suspended: true });
  assert.is((await logIn(server, 'bill')).status, 401);
  const password = 'another long password';
  await script.rows(
    ['POST /api/accounts/bill/unsuspend', 200, { suspended: false }],
    ['PATCH /api/accounts/bill', { plan: 'developer' }, 200, { plan: 'developer' }],
    ['PUT /api/accounts/bill/password', { password }, 200],
  );
  assert.equal([(await logIn(server, 'bill')).status, (await logIn(server, 'bill', { password })).status], [401, 200]);
  const { purge } = await script.asks<{ purge: Body }>('DELETE /api/accounts/bill?purge=true', 200);
  assert.is(purge['state'], 'complete');
  await script.rows(
    ['POST /api/accounts', bill, 201], // the name is free
    ['POST /api/accounts', { username: 'thief', password: PASSWORD, role: 'admin' }, '403 session_required'],
  );
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
  const { asks } = await own.admin();
  for (const name of Object.keys(loads)) await own.account(name);
  const ask = (query: string) => asks<Page>(`GET ${USAGE}?${query}`, 200);
  const seen: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { accounts, next_cursor: next }: Page = await ask(`sort=-cpu_percent&limit=1&cursor=${cursor}`);
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
  const named = (await ask('q=BUS')).accounts;
  assert.equal(
    named.map(({ username, cpu_percent }) => [username, cpu_percent]),
    [['busy', 250]],
    'by name too, once they are sampled',
  );
  assert.equal(pick((await ask('sort=memory_bytes&limit=2')).accounts, 'username'), ['hidden', 'idle']);
});

test('a load of which a part is missing is not known', async () => {
  const measuring = (name: string, accountsLoad: ExtensionPoints['accountsLoad']) =>
    definePlugin({ name, features: [], routes: {}, setup: () => ({ handlers: {}, provides: { accountsLoad } }) });
  const known = measuring('known', (accounts) => new Map(accounts.map(({ id }) => [id, IDLE])));
  const failing = measuring('failing', () => Promise.reject(new Error('the engine is down')));
  const own = await TestServer.start({ plugins: [usage, known, failing] });
  const root = await own.admin();
  await own.account('ann');
  const { accounts } = await root.asks<Page>(`GET ${USAGE}?sort=-cpu_percent`, 200);
  assert.is(accounts[0]?.cpu_percent, null);
});
