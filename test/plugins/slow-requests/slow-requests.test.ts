import * as assert from '../../support/assert.ts';
import type { Store } from '../../../kernel/store/store.ts';
import type { SlowRequest } from '../../../kernel/areas/sites/slow-requests.ts';
import slowRequests from '../../../plugins/slow-requests/index.ts';
import { addRequests, dayBefore, expire } from '../../../plugins/slow-requests/store.ts';
import { domainOwner } from '../../support/domain-owner.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { needs } from '../../support/needs.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';

const [domains, logs] = await needs('domains', 'logs');
const test = testSuite('slow requests');
const DAY_MS = 86_400_000;

interface Paths {
  readonly paths: readonly Readonly<Record<string, unknown>>[];
  readonly next_cursor: string | null;
  readonly since: string;
  readonly error?: string;
}

let server: TestServer;
let local: Store;
test.before(async () => {
  const config = { 'slow-requests': { kept_days: 10 } };
  server = await TestServer.start({ plugins: [domains, logs, slowRequests], config });
  local = server.hostkeep.core.local;
});

/** Makes an account with a domain. */
async function owner(username: string) {
  const { account, domain, token, tries } = await domainOwner(server, username);
  const [row] = await server.hostkeep.core.store.all<{ id: number }>('select max(id) as id from domains');
  const one = { accountId: account.id, domainId: row?.id ?? 0, at: Date.now(), method: 'GET', path: '/', status: 200 };
  return {
    account,
    keep: (...requests: readonly Partial<SlowRequest>[]) =>
      local.write((tx) =>
        addRequests(
          tx,
          requests.map((each) => ({ ...one, tookMs: 2000, ...each })),
        ),
      ),
    list: async (query = 'limit=200') => (await server.ask<Paths>(`/api/slow-requests?${query}`, { token })).body,
    remove: () => tries('POST /api/domains/delete', { domain_url: domain }),
  };
}
type Owner = Awaited<ReturnType<typeof owner>>;
const pathsIn = async ({ list }: Owner, query = 'limit=200') => (await list(query)).paths.map(({ path }) => path);
const kept = async ({ account }: Owner) =>
  (await local.all('select * from slow_requests where account_id = ?', account.id)).length;

// threat other-accounts: what was slow at a site is shown to its owner alone
test("another account's domain, and what is none, is refused", async () => {
  const [ann, bob] = [await owner('ann'), await owner('bob')];
  await ann.keep({ path: '/of-ann' });
  for (const name of ['ann.example', 'none.example', '%2A', '127.0.0.1'])
    assert.is((await bob.list(`domain_url=${name}`)).error, 'domain_not_found', name);
  for (const query of ['domain_url=', 'days=0', 'days=91', 'sort=path', 'cursor=-1', 'cursor=9999999', 'account=1'])
    assert.is((await bob.list(query)).error, 'invalid_request', query);
  assert.equal(await pathsIn(bob), []);
  assert.equal(await pathsIn(ann, 'domain_url=ANN.example'), ['/of-ann']);
});

test('requests are summed up by path, and the slowest one keeps its query', async () => {
  const cid = await owner('cid');
  const at = Date.now() - 1000;
  await cid.keep(
    { path: '/a?x=1?2', tookMs: 3000, at },
    { path: '/a', tookMs: 2500 },
    { path: '/b?key=secret', tookMs: 5000 },
  );
  await cid.keep({ path: '/a?y', tookMs: 2001, at: at + 500, status: 499 }, { path: '/a', method: 'POST' });
  const { paths } = await cid.list();
  const { last_at: last, ...first } = paths[0] ?? {};
  assert.equal(first, {
    ...{ domain_url: 'cid.example', method: 'GET', path: '/a', requests: 3, total_ms: 7501, average_ms: 2500 },
    ...{ slowest_ms: 3000, slowest_at: new Date(at).toISOString(), slowest_status: 200, slowest_query: 'x=1?2' },
  });
  assert.is(last, new Date(at + 500).toISOString());
  const firstBy = async (sort: string) => (await cid.list(`sort=${sort}`)).paths[0]?.['path'];
  assert.equal(await Promise.all(['total', 'requests', 'slowest'].map(firstBy)), ['/a', '/a', '/b']);
  const { token } = await server.admin();
  const { body } = await server.ask<Paths>('/api/slow-requests?sort=slowest', { token, address: 'admin' });
  assert.equal([body.paths[0]?.['username'], body.paths[0]?.['path']], ['cid', '/b']);
  assert.not.match(JSON.stringify(body), /secret|x=1/);
});

test('days are joined, listed page by page, and go when they are old', async () => {
  const dan = await owner('dan');
  for (const days of [0, 3, 3, 30])
    await dan.keep({ at: Date.now() - days * DAY_MS, tookMs: 2000 + days, path: '/?n' });
  await dan.keep({ path: '/new' });
  const ofAll = async (query: string) => (await dan.list(query)).paths.map(({ path, requests }) => [path, requests]);
  assert.equal(await ofAll('days=7'), [
    ['/', 3],
    ['/new', 1],
  ]);
  assert.equal(await ofAll('days=1'), [
    ['/', 1],
    ['/new', 1],
  ]);
  assert.is((await dan.list('days=90')).since, dayBefore(10));
  const first = await dan.list('limit=1');
  assert.equal([first.paths.length, first.next_cursor], [1, '1']);
  const second = await dan.list('limit=1&cursor=1');
  assert.equal([second.paths[0]?.['path'], second.next_cursor], ['/new', null]);
  assert.is(await kept(dan), 4);
  await local.write((tx) => expire(tx, dayBefore(10)));
  assert.is(await kept(dan), 3);
});

// threat crowding-out: whoever asks for many paths, or long ones, removes nothing that matters and fills no disk
test('a flood of paths is bounded, and leaves what took most time and what is new', async () => {
  const eve = await owner('eve');
  await eve.keep({ path: '/large', tookMs: 60_000 });
  const flood = (n: number, tookMs: number) =>
    Array.from({ length: n }, (_, i) => ({ path: `/${tookMs}-${i}${'x'.repeat(8000)}?${'y'.repeat(8000)}`, tookMs }));
  await eve.keep(...flood(500, 5000));
  await eve.keep(...flood(100, 4000));
  for (const later of [1, 2]) await eve.keep({ path: '/often', at: Date.now() + later * 1000 });
  const { paths } = await eve.list();
  assert.is(paths[0]?.['path'], '/large');
  assert.ok(paths.length <= 200, String(paths.length));
  assert.is(paths.find(({ path }) => path === '/often')?.['requests'], 2);
  for (const { path, slowest_query: query } of paths)
    assert.ok(String(path).length <= 300 && String(query).length <= 500);
  await eve.keep(...Array.from({ length: 500 }, () => ({ path: '/often' })));
  assert.ok((await kept(eve)) <= 200);
  assert.is((await eve.list()).paths[0]?.['path'], '/often');
});

test('a removed domain and a removed account leave nothing', async () => {
  const [fay, gil] = [await owner('fay'), await owner('gil')];
  for (const each of [fay, gil]) await each.keep({ path: '/a' });
  await fay.remove();
  assert.equal(await pathsIn(fay), []);
  await until('it is forgotten', async () => (await kept(fay)) === 0);
  await server.hostkeep.core.accounts.remove('gil');
  await gil.keep({ path: '/late' });
  const parts = await server.hostkeep.plugins.gather(
    'purge',
    { ...gil.account, removedAt: Date.now() },
    new AbortController().signal,
  );
  const told = parts.find(({ plugin }) => plugin === 'slow-requests');
  assert.equal(told?.ok === true && told.value, [{ what: 'slow requests', removed: 1 }]);
  assert.is(await kept(gil), 0);
});
