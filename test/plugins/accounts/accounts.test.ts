import * as assert from '../../support/assert.ts';
import type { AccountFigures, SampledUsage } from '../../../kernel/contract/points/account-report.ts';
import { definePlugin } from '../../../kernel/contract/plugin.ts';
import { allPlugins, PASSWORD, TestServer, type Person } from '../../support/hostkeep.ts';
import type { Row } from '../../support/scenario.ts';
import { testSuite } from '../../support/suite.ts';
import { codeOf, enableTwofa, logIn, reauthenticate } from '../../support/account-client.ts';
import { codeOf as errorOf } from '../../support/code-of.ts';
import { pick } from '../../support/lists.ts';

const test = testSuite('accounts');
let server: TestServer;
let operator: Person;
test.before(async () => {
  server = await TestServer.start();
  operator = await server.admin('operator');
  await reauthenticate(server, operator.token);
});

interface Page {
  readonly accounts: readonly {
    readonly username: string;
    readonly plan: string | null;
    readonly usage?: AccountFigures;
  }[];
  readonly total: number;
  readonly next_cursor: string | null;
}

/** Resolves with the names on each page of a list. */
async function namesOn(by: Person, query: string): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Page = await by.asks<Page>(`GET /api/accounts?${query}&cursor=${cursor}`, 200);
    pages.push(pick(page.accounts, 'username'));
    cursor = page.next_cursor;
  }
  return pages;
}

test('bad input is refused and changes nothing', async () => {
  const made = { username: 'new', password: PASSWORD, plan: 'basic' };
  await operator.rows(
    ['POST /api/accounts', { ...made, password: 'short' }, '400 invalid_request /password'],
    ['POST /api/accounts', { ...made, username: 'New User' }, '400 invalid_request'],
    ['POST /api/accounts', { username: 'new', password: PASSWORD }, '400 invalid_request'],
    ['POST /api/accounts', { ...made, role: 'admin' }, '400 invalid_request'],
    ['POST /api/accounts', { ...made, email: 'a\r\nb@c' }, '400 invalid_request /email'],
    ['POST /api/accounts', { ...made, plan: 'nosuch' }, '404 plan_not_found'],
    ['POST /api/accounts', { ...made, plan: '' }, '400 invalid_request /plan'],
    ['POST /api/accounts', { username: 'operator', password: PASSWORD, role: 'admin' }, '409 account_exists'],
    ['PATCH /api/accounts/operator', {}, '400 invalid_request'],
    ['PATCH /api/accounts/operator', { plan: null }, '400 invalid_request'],
    ['PATCH /api/accounts/operator', { plan: 'basic' }, '400 invalid_request'],
    ['PATCH /api/accounts/operator', { locale: 'xx' }, '400 invalid_request'],
    ['PUT /api/accounts/operator/features/nosuch', '400 invalid_request'],
    ['GET /api/accounts?limit=501', '400 invalid_request /limit'],
    ['GET /api/accounts?sort=email&cursor=x', '400 invalid_request'],
    ['GET /api/accounts?sort=created&cursor=WyJhIiwiYiJd', '400 invalid_request'],
    ['PATCH /api/accounts/nobody', { locale: 'en' }, '404 account_not_found'],
    ['PUT /api/accounts/nobody/password', { password: PASSWORD }, '404 account_not_found'],
    ['PUT /api/accounts/nobody/features/docker', '404 account_not_found'],
    ['DELETE /api/accounts/nobody/features/docker', '404 account_not_found'],
  );
});

test('an account is created, changed, suspended and removed', async () => {
  const body = { username: 'carl', password: PASSWORD, plan: 'basic', email: 'carl@example.com' };
  const { token } = operator;
  const created = await server.ask('/api/accounts', { token, address: 'admin', method: 'POST', body });
  assert.is(created.status, 201);
  assert.match(created.headers.get('location') ?? '', /^\/api\/accounts\/\w+$/);
  assert.equal([created.body['plan'], created.body['role']], ['basic', 'user']);
  const changed = { plan: 'standard', email: '' };
  await operator.asks('PATCH /api/accounts/carl', changed, 200, changed);
  const carl = await server.as(await server.hostkeep.core.accounts.get('carl'));
  await carl.asks('GET /system/hosting/plan', 200);
  await operator.asks('POST /api/accounts/carl/suspend', 200, { suspended: true });
  await carl.asks('GET /system/hosting/plan', 401);
  await operator.asks('POST /api/accounts/carl/unsuspend', 200, { suspended: false });
  await carl.asks('GET /system/hosting/plan', 401); // a session that ended stays ended
  await operator.rows(
    ['DELETE /api/accounts/carl', 200, { username: 'carl', deleted: true }],
    ['GET /api/accounts/carl', '404 account_not_found'],
  );
});

test('an account without a plan logs in, has no features, and gets them with a plan', async () => {
  const plan = null;
  await operator.rows(
    ['POST /api/accounts', { username: 'bare', password: PASSWORD, plan }, 201, { plan, features: [] }],
    ['PUT /api/accounts/bare/features/dashboard', 200],
    ['GET /api/accounts/bare', 200, { plan, features: [], overrides: { dashboard: true } }],
  );
  const { accounts } = await operator.asks<Page>('GET /api/accounts?limit=500', 200);
  assert.is(accounts.find(({ username }) => username === 'bare')?.plan, null);
  const login = await logIn(server, 'bare');
  assert.is(login.status, 200);
  const bare = server.with(String(login.body['token']));
  await bare.asks('GET /api/dashboard', '403 feature_disabled');
  await operator.asks('PATCH /api/accounts/bare', { plan: 'basic' }, 200, { plan: 'basic' });
  await bare.asks('GET /api/dashboard', 200);
  await operator.asks('PATCH /api/accounts/bare', { plan }, 200, { plan, features: [] });
  await bare.asks('GET /api/dashboard', 403);
  await operator.rows(
    ['POST /api/plans', { name: 'unused' }, 201],
    ['PATCH /api/accounts/bare', { plan: 'unused' }, 200],
    ['PATCH /api/accounts/bare', { plan }, 200],
    ['DELETE /api/plans/unused', 200], // the account no longer uses it
  );
});

test('nobody locks the last administrator out, nor oneself', async () => {
  await operator.rows(
    ['POST /api/accounts/operator/suspend', '409 own_account'],
    ['DELETE /api/accounts/operator', '409 own_account'],
  );
  const { account } = await server.admin('second');
  await operator.asks('POST /api/accounts/second/suspend', 200);
  const { accounts } = server.hostkeep.core;
  assert.is(await errorOf(accounts.suspend('operator')), 'last_admin', 'a suspended one does not count');
  assert.is(await errorOf(accounts.remove('operator')), 'last_admin');
  await operator.asks('POST /api/accounts/second/unsuspend', 200);
  const [second, third] = [await server.as(account), await server.admin('third')];
  await accounts.suspend('operator');
  const removals = [second.tries('DELETE /api/accounts/third'), third.tries('DELETE /api/accounts/second')];
  const removed = (await Promise.all(removals)).filter((each) => each === 200);
  assert.is(removed.length, 1, 'of two administrators who remove each other one stays');
  await accounts.unsuspend('operator');
  assert.is(await accounts.count('admin'), 2);
  operator = await server.as(operator.account);
  await reauthenticate(server, operator.token);
});

// asvs 7.4.3, 7.4.5: an administrator ends all sessions of an account
test('passwords and sessions are ended at once', async () => {
  const dora = await server.user('dora');
  const second = await server.as(dora.account);
  const areIn = async (...people: Person[]) => {
    const asked = await Promise.all(people.map((each) => each.tries('GET /system/hosting/plan')));
    return asked.map((each) => each === 200);
  };
  const sessions = async (of: string) =>
    (await operator.asks<{ sessions: { id: string; created_at: string }[] }>(`GET /api/accounts/${of}/sessions`, 200))
      .sessions;
  const list = await sessions('dora');
  assert.is(list.length, 2);
  assert.match(list[0]?.created_at ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  for (const id of ['nosuch', (await sessions('operator'))[0]?.id])
    await operator.asks(`DELETE /api/accounts/dora/sessions/${id}`, '404 session_not_found');
  await operator.asks(`DELETE /api/accounts/dora/sessions/${list[0]?.id}`, 200, { ended: 1 });
  assert.equal((await areIn(dora, second)).toSorted(), [false, true]);
  await operator.asks('DELETE /api/accounts/dora/sessions', 200, { ended: 1 });
  assert.equal(await areIn(dora, second), [false, false]);
  const third = await server.as(dora.account);
  await operator.asks('PUT /api/accounts/dora/password', { password: 'another battery' }, 200);
  assert.equal(await areIn(third), [false]);
  await operator.rows(
    ['PUT /api/accounts/operator/password', { password: PASSWORD }, 200],
    ['GET /api/plugins', 200], // the session of the request stays
  );
  await reauthenticate(server, operator.token);
});

test('the sessions of an account are listed in pages', async () => {
  const { account } = await server.user('pia');
  for (let i = 0; i < 59; i += 1) await server.token(account);
  interface Sessions {
    readonly sessions: readonly { readonly id: string }[];
    readonly next_cursor: string | null;
  }
  const first = await operator.asks<Sessions>('GET /api/accounts/pia/sessions', 200);
  const rest = await operator.asks<Sessions>(`GET /api/accounts/pia/sessions?cursor=${first.next_cursor}`, 200);
  assert.equal([first.sessions.length, rest.sessions.length, rest.next_cursor], [50, 10, null]);
  assert.is(new Set(pick([...first.sessions, ...rest.sessions], 'id')).size, 60);
  await operator.asks('GET /api/accounts/pia/sessions?cursor=x', '400 invalid_request');
});

// threat weak-second-factor: an administrator resets a lost factor, and the event is logged
test('an operator lets in who lost the second factor, and the log names both', async () => {
  const lena = await server.user('lena');
  const kept = await enableTwofa(server, (await server.user('lars')).token);
  const { recoveryCodes } = await enableTwofa(server, lena.token);
  const twofaRequired = async () => (await logIn(server, 'lena')).body['twofa_required'] === true;
  assert.ok(await twofaRequired());
  await server.with(lena.token, 'admin').asks('DELETE /api/accounts/lena/2fa', 401);
  await lena.asks('DELETE /api/accounts/lars/2fa', 404); // on the user address there is no such path
  assert.ok(await twofaRequired());
  const off = { username: 'lena', enabled: false };
  await lena.asks('GET /api/account/2fa', 200);
  await operator.asks('DELETE /api/accounts/lena/2fa', 200, off, { events: ['twofa.reset', 'session.ended'] });
  await lena.asks('GET /api/account/2fa', 401); // sessions end at once
  const again = await logIn(server, 'lena');
  assert.is(again.status, 200, 'the password is enough');
  const second = String(again.body['token']);
  await server.with(second).asks('GET /api/account/2fa', 200, { enabled: false, method: '', code: '' });
  await operator.asks('DELETE /api/accounts/lena/2fa', 200, off, { events: [] }); // a second time is the same
  await server.with(second).asks('GET /api/account/2fa', 200); // and changes nothing
  assert.match(
    (await lena.told('turned off')).join('\n'),
    /^\S+ \S+ User 'lena' had two-factor authentication turned off by the administrator 'operator' from IP 127\.0\.0\.1$/,
  );
  const resets = (await server.hostkeep.core.events.after(0, 10_000)).filter(({ type }) => type === 'twofa.reset');
  assert.equal(
    resets.map(({ username, data }) => [username, data['by']]),
    [['lena', 'operator']],
  );
  await enableTwofa(server, second);
  const codes = [recoveryCodes[0] ?? '', kept.recoveryCodes[0] ?? ''] as const;
  assert.is((await logIn(server, 'lena', { code: codes[0] })).status, 401, 'codes went with their factor');
  assert.is((await logIn(server, 'lars', { code: codes[1] })).status, 200, 'nobody else lost any');
});

// asvs 6.4.3, 6.4.4: an administrator sets passwords and resets lost factors of others, never the own
test('a pending set-up is removed too; the own factor needs password and code', async () => {
  const mona = await server.user('mona');
  const { secret } = await mona.asks<{ secret: string }>('POST /api/account/2fa/setup', { password: PASSWORD }, 200);
  await operator.asks('DELETE /api/accounts/mona/2fa', 200);
  await mona.asks('POST /api/account/2fa/confirm', { code: codeOf(secret) }, '409 twofa_not_started');
  const second = await server.admin('twofold');
  await enableTwofa(server, second.token, 'admin');
  await second.asks('DELETE /api/accounts/twofold/2fa', '409 own_account');
  assert.is((await logIn(server, 'twofold', { address: 'admin' })).body['twofa_required'], true);
  await operator.asks('DELETE /api/accounts/twofold/2fa', 200); // another administrator may
  assert.is((await logIn(server, 'twofold', { address: 'admin' })).status, 200);
});

test('lists are paged by cursor, each account once', async () => {
  const { core } = server.hostkeep;
  const create = (i: number) =>
    core.accounts.create({
      username: `page-${String(i).padStart(4, '0')}`,
      role: 'user',
      plan: 'basic',
      passwordHash: 'x',
    });
  for (let i = 0; i < 510; i += 10) await Promise.all(Array.from({ length: 10 }, (_, j) => create(i + j)));
  const pages = await namesOn(operator, 'limit=100');
  const seen = pages.flat();
  assert.is(seen.length, (await core.accounts.list(1000)).length);
  assert.equal(seen, [...new Set(seen)].toSorted());
  assert.is(pages.length, Math.ceil(seen.length / 100));
  assert.is((await operator.asks<Page>('GET /api/accounts', 200)).accounts.length, 50);
});

// threat reused-names: an administrator cannot create an account whose name is reserved or ambiguous
test("a removed account's name is reserved; none extends another by an underscore", async () => {
  await server.user('nora');
  const named = (username: string) => ({ username, password: PASSWORD, plan: 'basic' });
  await operator.rows(
    ['POST /api/accounts', named('nora_b'), '409 ambiguous_username'],
    ['DELETE /api/accounts/nora', 200, { username: 'nora', deleted: true }],
    ['POST /api/accounts', named('nora'), '409 name_reserved'],
    ['POST /api/accounts', named('nora_b'), '409 ambiguous_username'],
    ['DELETE /api/accounts/nora', '404 account_not_found'],
  );
});

test('an override beats the plan, until it is left to the plan again', async () => {
  await server.user('erik', 'basic');
  const after = async (...row: Row) => {
    const { features, overrides } = await operator.asks<{ features: string[]; overrides: object }>(...row);
    return [features.includes('docker'), overrides];
  };
  assert.equal(await after('PUT /api/accounts/erik/features/docker', 200), [true, { docker: true }]);
  assert.equal(await after('DELETE /api/accounts/erik/features/docker', 200), [false, { docker: false }]);
  await operator.asks('PUT /api/plans/basic/features/docker', 200);
  assert.equal(await after('GET /api/accounts/erik', 200), [false, { docker: false }]);
  assert.equal(await after('DELETE /api/accounts/erik/features/docker?inherit=true', 200), [true, {}]);
  await operator.asks('DELETE /api/plans/basic/features/docker', 200);
  assert.equal(await after('GET /api/accounts/erik', 200), [false, {}]);
});

test('a toggle applies to the next request, and no request is lost', async () => {
  const poller = await server.user('poller', 'standard');
  const stop = new AbortController();
  const seen: unknown[] = [];
  const pollOn = async () => {
    while (!stop.signal.aborted) seen.push(await poller.tries('GET /api/domains').catch((error: unknown) => error));
  };
  const pollers = [pollOn(), pollOn(), pollOn()];
  for (let round = 0; round < 20; round += 1) {
    const path = round % 2 === 0 ? '/api/plans/standard/features/domains' : '/api/accounts/poller/features/domains';
    await operator.asks(`DELETE ${path}`, 200);
    await poller.asks('GET /api/domains', 403, { feature: 'domains' });
    await operator.asks(`PUT ${path}`, 200);
    await poller.asks('GET /api/domains', 200);
    await operator.asks('DELETE /api/accounts/poller/features/domains?inherit=true', 200);
    await poller.asks('GET /api/domains', 200);
  }
  stop.abort();
  await Promise.all(pollers);
  assert.equal([...new Set(seen)].toSorted(), [200, '403 feature_disabled']);
  assert.ok(seen.length > 50, `${seen.length} requests`);
});

test('features and plugins are listed with their state', async () => {
  const { features } = await operator.asks<{ features: { name: string; plugin: string; state: string }[] }>(
    'GET /api/features',
    200,
  );
  assert.equal(features.length, server.hostkeep.core.locales.featureNames.size);
  const domains = features.find(({ name }) => name === 'domains');
  assert.equal([domains?.plugin, domains?.state], ['domains', 'ready']);
  assert.is(features.find(({ name }) => name === 'pm2')?.plugin, null);
  const { plugins } = await operator.asks<{
    plugins: { name: string; state: string; provides: string[]; reason: string | null }[];
  }>('GET /api/plugins', 200);
  const accounts = plugins.find(({ name }) => name === 'accounts');
  assert.equal([accounts?.state, accounts?.reason], ['ready', null]);
  assert.ok(plugins.find(({ name }) => name === 'domains')?.provides.includes('dashboard'));
});

test('accounts are filtered by the server, with the total of what is left', async () => {
  const { core } = server.hostkeep;
  await core.accounts.create({ username: 'filter-one', role: 'user', plan: 'basic', passwordHash: 'x' });
  const two = { username: 'filter-two', role: 'user', plan: 'standard', passwordHash: 'x' } as const;
  await core.accounts.create({ ...two, email: 'Jane@Filter-One.example' });
  await operator.asks('POST /api/accounts/filter-two/suspend', 200);
  for (const [query, ...expected] of [
    ['q=filter-', 'filter-one', 2],
    ['q=FILTER-ONE', 'filter-one', 2], // names and addresses, in any case
    ['q=filter-&plan=standard', 'filter-two', 1],
    ['q=filter-&suspended=true', 'filter-two', 1],
    ['q=filter-&suspended=false', 'filter-one', 1],
    ['q=filter-&role=admin', undefined, 0],
    ['q=%25', undefined, 0], // nothing is a pattern
  ]) {
    const { accounts, total } = await operator.asks<Page>(`GET /api/accounts?limit=1&${query}`, 200);
    assert.equal([accounts[0]?.username, total], expected, String(query));
  }
});

test('administrators see what an account has: its domains, activity and usage', async () => {
  const owner = await server.user('owner', 'basic');
  await owner.asks('POST /api/domains/new', { domain_url: 'owner-of-this.example' }, 201);
  const domains = await owner.asks('GET /api/domains', 200);
  await operator.rows(
    ['GET /api/accounts/owner/domains', 200, domains],
    [
      'GET /api/accounts/owner/activity?search=domain',
      200,
      { log_content: /^\S+ \S+ User 'owner' added the domain owner-of-this\.example/ },
    ],
  );
  interface Usage {
    readonly usage: readonly { readonly resource: string; readonly used: number }[];
  }
  const line = 'GET /api/accounts/owner/usage';
  for (const { usage } of await Promise.all([operator.asks<Usage>(line, 200), operator.asks<Usage>(line, 200)])) {
    const of = (wanted: string) => usage.find(({ resource }) => resource === wanted);
    assert.equal(of('domains'), { resource: 'domains', used: 1, limit: 1, over: false });
    assert.is(of('names')?.used, 1);
    assert.ok(of('disk_kib'));
  }
});

test('doctor answers all callers with one examination, and the server goes on', async () => {
  const examine = server.hostkeep.node.examine;
  let examinations = 0;
  Object.assign(server.hostkeep.node, { examine: () => ((examinations += 1), examine()) });
  const ask = () => server.ask('/api/doctor', { token: operator.token, address: 'admin' });
  const asked = [ask(), ask(), ask()];
  await operator.asks('GET /api/plans', 200); // others are served meanwhile
  const answers = await Promise.all(asked);
  for (const { status, body } of answers) {
    if (status === 503) continue; // a busy machine: the next request gets what goes on
    assert.is(status, 200);
    const findings = body['findings'] as { plugin: string; name: string; state: string; remedy: string | null }[];
    assert.ok(findings.some(({ plugin, name, state }) => plugin === 'kernel' && name === 'store' && state === 'ok'));
    assert.equal([...new Set(findings.map(({ plugin }) => plugin))].includes('webserver'), true);
    const isBad = (state: string) => state === 'warn' || state === 'missing';
    for (const { state, remedy } of findings) if (isBad(state)) assert.ok(remedy, 'what is not well has a remedy');
  }
  assert.is(examinations, 1);
});

test('who is over a limit is told from what is known, and only the rest is measured', async () => {
  const DAY_MS = 86_400_000;
  const measured: string[] = [];
  const files = (used: number, at: number) => ({ resource: 'files', used, limit: 1, isOver: used > 1, at });
  const counting = definePlugin({
    name: 'counting',
    features: [],
    routes: {},
    setup: () => ({
      handlers: {},
      provides: {
        accountsUsage: (accounts) => {
          const at = { full: [2, 1000], roomy: [1, DAY_MS / 2], once: [1, 2 * DAY_MS] } as Record<string, number[]>;
          const known = accounts.filter(({ username }) => username in at);
          return new Map(
            known.map(({ id, username }) => {
              const [used = 0, agoMs = 0] = at[username] ?? [];
              return [id, [files(used, Date.now() - agoMs)]];
            }),
          );
        },
        accountReport: ({ username }) => {
          measured.push(username);
          return { usage: [files(2, Date.now())] };
        },
      },
    }),
  });
  const others = (await allPlugins()).filter(({ name }) => !['quota', 'databases'].includes(name));
  const own = await TestServer.start({ plugins: [...others, counting] });
  const root = await own.admin();
  for (const name of ['full', 'roomy', 'once', 'unseen']) await own.account(name);
  assert.equal(await namesOn(root, 'over=true'), [['full', 'once', 'unseen']]);
  assert.equal(measured.toSorted(), ['once', 'unseen'], 'a figure is good for a day');
});

test('the server sorts accounts page by page and finds those over their limits', async () => {
  const own = await TestServer.start();
  const root = await own.admin();
  const { accounts } = own.hostkeep.core;
  for (const [username, plan, email] of [
    ['ann', 'standard', 'z@example.com'],
    ['bob', 'basic', 'y@example.com'],
    ['cid', 'basic', ''],
    ['dan', null, 'y@example.com'],
  ] as const)
    await accounts.create({ username, role: 'user', plan, email, passwordHash: 'x' });
  const all = async (sort: string) => {
    await root.asks(`GET /api/accounts?limit=2&sort=${sort}`, 200, { total: 5 });
    return (await namesOn(root, `limit=2&sort=${sort}`)).flat().join(' ');
  };
  assert.is(await all('username'), 'ann bob cid dan root');
  assert.is(await all('-username'), 'root dan cid bob ann');
  assert.is(await all('email'), 'cid root bob dan ann');
  assert.is(await all('-email'), 'ann dan bob root cid');
  assert.is(await all('plan'), 'dan root bob cid ann');
  assert.is(await all('created'), 'root ann bob cid dan');
  const bob = await accounts.get('bob');
  for (const name of ['one.example', 'two.example'])
    await own.hostkeep.core.store.write((tx) =>
      tx.run(
        "insert into domains (account_id, name, reversed, docroot, is_main, state, claimed_by, created_at) values (?, ?, ?, ?, 1, 'active', '', 0)",
        bob.id,
        name,
        name,
        name,
      ),
    );
  assert.equal(await namesOn(root, 'over=true'), [['bob']]);
  await root.rows(
    ['GET /api/accounts?over=true&plan=standard', 200, { accounts: [] }],
    ['GET /api/plans', 200, { accounts: { basic: 2, standard: 1 } }],
  );
});

test('accounts are sorted by what they use, across pages, and shown with it', async () => {
  const ids = new Map<string, number>();
  const disk = { ann: 7, bob: 900, cid: 0 } as Record<string, number>;
  const figuresOf = (username: string): AccountFigures => ({
    ...{ disk_kib: disk[username] ?? null, inodes: 1, cpu_percent: 0.5, memory_bytes: null },
  });
  const peek = () => new Map(['ann', 'bob', 'cid'].map((name) => [ids.get(name) ?? 0, figuresOf(name)]));
  const service: SampledUsage = { figures: async () => peek(), peek };
  const sampling = definePlugin({
    name: 'usage',
    features: [],
    routes: {},
    setup: () => ({ handlers: {}, service }),
  });
  const others = (await allPlugins()).filter(({ name }) => name !== 'usage');
  const [own, without] = await Promise.all([
    TestServer.start({ plugins: [...others, sampling] }),
    TestServer.start({ plugins: others }),
  ]);
  const root = await own.admin();
  for (const name of ['ann', 'bob', 'cid']) ids.set(name, (await own.account(name)).id);
  const names = (await namesOn(root, 'sort=-disk_kib&limit=1')).flat();
  assert.equal(names, ['bob', 'ann', 'cid', 'root'], 'what is not known comes last');
  const usage = async (query: string) => (await root.asks<Page>(`GET /api/accounts?${query}`, 200)).accounts[0]?.usage;
  assert.equal(await usage('usage=true&q=ann'), figuresOf('ann'));
  assert.is(await usage('q=ann'), undefined);
  await (await without.admin()).rows(['GET /api/accounts?usage=true', 200], ['GET /api/accounts?sort=inodes', 503]);
});
