import * as assert from '../../support/assert.ts';
import type { AccountFigures, SampledUsage } from '../../../kernel/contract/points/account-report.ts';
import { definePlugin } from '../../../kernel/contract/plugin.ts';
import { allPlugins, PASSWORD, TestServer, type RequestOptions } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { codeOf, enableTwofa, logIn, reauthenticate } from '../../support/account-client.ts';
import { pick } from '../../support/lists.ts';

const test = testSuite('accounts');
let server: TestServer;
let token: string;
test.before(async () => {
  server = await TestServer.start();
  token = (await server.admin('operator')).token;
  await reauthenticate(server, token);
});

type Body = Record<string, unknown> & { error?: string };
const ask = (path: string, question: RequestOptions = {}) =>
  server.ask<Body>(path, { token, address: 'admin', ...question });
const put = (path: string, body?: unknown) => ask(path, { method: 'PUT', ...(body === undefined ? {} : { body }) });
const patch = (path: string, body: unknown) => ask(path, { method: 'PATCH', body });
const post = (path: string, body?: unknown) => ask(path, { method: 'POST', ...(body === undefined ? {} : { body }) });
const del = (path: string) => ask(path, { method: 'DELETE' });

/** Routes of an account. */
const ROUTES = [
  ['GET', '/api/accounts/operator'],
  ['PATCH', '/api/accounts/operator'],
  ['DELETE', '/api/accounts/operator'],
  ['POST', '/api/accounts/operator/suspend'],
  ['POST', '/api/accounts/operator/unsuspend'],
  ['PUT', '/api/accounts/operator/password'],
  ['GET', '/api/accounts/operator/sessions'],
  ['DELETE', '/api/accounts/operator/sessions'],
  ['DELETE', '/api/accounts/operator/sessions/x'],
  ['PUT', '/api/accounts/operator/features/docker'],
  ['DELETE', '/api/accounts/operator/features/docker'],
  ['DELETE', '/api/accounts/operator/2fa'],
  ['POST', '/api/accounts/operator/unlock'],
  ['GET', '/api/accounts/operator/usage'],
  ['GET', '/api/accounts/operator/domains'],
  ['GET', '/api/accounts/operator/activity'],
] as const;

test('bad input is refused and changes nothing', async () => {
  const cases: [string, string, unknown, string][] = [
    ['POST', '/api/accounts', {}, 'invalid_request'],
    ['POST', '/api/accounts', { username: 'new', password: 'short', plan: 'basic' }, 'invalid_request'],
    ['POST', '/api/accounts', { username: 'New User', password: PASSWORD, plan: 'basic' }, 'invalid_request'],
    ['POST', '/api/accounts', { username: 'new', password: PASSWORD }, 'invalid_request'],
    ['POST', '/api/accounts', { username: 'new', password: PASSWORD, role: 'admin', plan: 'basic' }, 'invalid_request'],
    ['POST', '/api/accounts', { username: 'new', password: PASSWORD, role: 'root' }, 'invalid_request'],
    [
      'POST',
      '/api/accounts',
      { username: 'new', password: PASSWORD, plan: 'basic', email: 'a\r\nb@c' },
      'invalid_request',
    ],
    ['POST', '/api/accounts', { username: 'new', password: PASSWORD, plan: 'basic', admin: true }, 'invalid_request'],
    ['POST', '/api/accounts', { username: 'new', password: PASSWORD, plan: 'nosuch' }, 'plan_not_found'],
    ['POST', '/api/accounts', { username: 'new', password: PASSWORD, plan: '' }, 'invalid_request'],
    ['POST', '/api/accounts', { username: 'new', password: PASSWORD, plan: false }, 'invalid_request'],
    ['PATCH', '/api/accounts/operator', { plan: null }, 'invalid_request'],
    ['POST', '/api/accounts', { username: 'operator', password: PASSWORD, role: 'admin' }, 'account_exists'],
    ['PATCH', '/api/accounts/operator', {}, 'invalid_request'],
    ['PATCH', '/api/accounts/operator', { plan: 'basic' }, 'invalid_request'],
    ['PATCH', '/api/accounts/operator', { locale: 'xx' }, 'invalid_request'],
    ['PUT', '/api/accounts/operator/features/nosuch', undefined, 'invalid_request'],
    ['GET', '/api/accounts?limit=0', undefined, 'invalid_request'],
    ['GET', '/api/accounts?limit=501', undefined, 'invalid_request'],
    ['GET', '/api/accounts?limit=x', undefined, 'invalid_request'],
    ['GET', '/api/accounts?search=x', undefined, 'invalid_request'],
    ['GET', '/api/accounts?sort=password_hash', undefined, 'invalid_request'],
    ['GET', '/api/accounts?sort=email&cursor=x', undefined, 'invalid_request'],
    ['GET', '/api/accounts?sort=created&cursor=WyJhIiwiYiJd', undefined, 'invalid_request'],
    ['GET', '/api/accounts?over=maybe', undefined, 'invalid_request'],
    ['GET', '/api/accounts/operator/sessions?search=x', undefined, 'invalid_request'],
  ];
  for (const [method, path, body, error] of cases) {
    const answer = await ask(path, { method, ...(body === undefined ? {} : { body }) });
    assert.is(answer.body.error, error, `${method} ${path} ${JSON.stringify(body)}`);
  }
  for (const [method, path] of ROUTES) {
    const body = path.endsWith('/password')
      ? { password: PASSWORD }
      : path.endsWith('/operator') && (method === 'PUT' || method === 'PATCH')
        ? { locale: 'en' }
        : undefined;
    const answer = await ask(path.replace('operator', 'nobody'), { method, ...(body === undefined ? {} : { body }) });
    assert.is(answer.body.error, 'account_not_found', `${method} ${path}`);
  }
});

test('an account is created, changed, suspended and removed', async () => {
  const created = await post('/api/accounts', {
    username: 'carl',
    password: PASSWORD,
    plan: 'basic',
    email: 'carl@example.com',
  });
  assert.is(created.status, 201);
  assert.match(created.headers.get('location') ?? '', /^\/api\/accounts\/\w+$/);
  assert.is(created.body['plan'], 'basic');
  assert.is(created.body['role'], 'user');
  const changed = await patch('/api/accounts/carl', { plan: 'standard', email: '' });
  assert.is(changed.body['plan'], 'standard');
  assert.is(changed.body['email'], '');
  const carl = await server.hostkeep.core.accounts.get('carl');
  const userToken = await server.token(carl);
  const status = async () => (await server.ask('/system/hosting/plan', { token: userToken })).status;
  assert.is(await status(), 200);
  assert.is((await post('/api/accounts/carl/suspend')).body['suspended'], true);
  assert.is(await status(), 401);
  assert.is((await post('/api/accounts/carl/unsuspend')).body['suspended'], false);
  assert.is(await status(), 401, 'a session that ended stays ended');
  assert.equal((await del('/api/accounts/carl')).body, { username: 'carl', deleted: true });
  assert.is((await ask('/api/accounts/carl')).body.error, 'account_not_found');
});

// threat fail-open: an account without a plan has no features
test('an account without a plan logs in, has no features, and gets them with a plan', async () => {
  const body = { username: 'bare', password: PASSWORD, plan: null };
  const created = await post('/api/accounts', body);
  assert.is(created.status, 201);
  assert.equal([created.body['plan'], created.body['features']], [null, []]);
  assert.is((await put('/api/accounts/bare/features/dashboard')).status, 200);
  const shown = (await ask('/api/accounts/bare')).body;
  assert.equal([shown['plan'], shown['features'], shown['overrides']], [null, [], { dashboard: true }]);
  const accounts = (await ask('/api/accounts?limit=500')).body['accounts'] as { username: string; plan: unknown }[];
  assert.is(accounts.find(({ username }) => username === 'bare')?.plan, null);
  const login = await logIn(server, 'bare');
  assert.is(login.status, 200);
  const own = String(login.body['token']);
  let gated = 0;
  for (const { access, address, features, method, paths, body: schema } of server.hostkeep.node.routes()) {
    if (access !== 'feature' || address !== 'user') continue;
    for (const path of paths) {
      const answer = await server.ask<Body>(path.replace(/[:*]\w+/g, 'x'), {
        method,
        token: own,
        ...(schema === undefined ? {} : { body: {} }),
      });
      assert.is(answer.status, 403, `${method} ${path}`);
      assert.is(answer.body['feature'], features[0], `${method} ${path}`);
      gated += 1;
    }
  }
  assert.ok(gated > 30, `${gated} routes ask for a feature`);
  assert.is((await patch('/api/accounts/bare', { plan: 'basic' })).body['plan'], 'basic');
  assert.is((await server.ask('/api/dashboard', { token: own })).status, 200);
  const back = await patch('/api/accounts/bare', { plan: null });
  assert.equal([back.body['plan'], back.body['features']], [null, []]);
  assert.is((await server.ask('/api/dashboard', { token: own })).status, 403);
  const plan = await post('/api/plans', { name: 'unused' });
  assert.is(plan.status, 201);
  await patch('/api/accounts/bare', { plan: 'unused' });
  await patch('/api/accounts/bare', { plan: null });
  assert.is((await del('/api/plans/unused')).status, 200, 'the account no longer uses it');
});

test('nobody locks the last administrator out, nor oneself', async () => {
  assert.is((await post('/api/accounts/operator/suspend')).body.error, 'own_account');
  assert.is((await del('/api/accounts/operator')).body.error, 'own_account');
  const second = await server.admin('second');
  assert.is((await post('/api/accounts/second/suspend')).status, 200);
  const { accounts } = server.hostkeep.core;
  const refusal = async (change: Promise<unknown>) =>
    change.then(
      () => '',
      (error: { code: string }) => error.code,
    );
  assert.is(await refusal(accounts.suspend('operator')), 'last_admin', 'a suspended one does not count');
  assert.is(await refusal(accounts.remove('operator')), 'last_admin');
  await post('/api/accounts/second/unsuspend');
  const secondToken = await server.token(await accounts.get('second'));
  const answers = await Promise.all([
    del('/api/accounts/second'),
    server.ask<Body>('/api/accounts/operator', { method: 'DELETE', token: secondToken, address: 'admin' }),
  ]);
  assert.is(
    answers.filter(({ status }) => status === 200).length,
    1,
    'of two administrators who remove each other one stays',
  );
  assert.is(await accounts.count('admin'), 1);
  if ((await accounts.byUsername('operator')) === undefined) token = (await server.admin('operator')).token;
  await reauthenticate(server, token);
  assert.ok(second);
});

// asvs 7.4.3, 7.4.5: an administrator ends all sessions of an account
test('passwords and sessions are ended at once', async () => {
  const { account, token: first } = await server.user('dora');
  const second = await server.token(account);
  const isIn = async (userToken: string) =>
    (await server.ask('/system/hosting/plan', { token: userToken })).status === 200;
  const list = (await ask('/api/accounts/dora/sessions')).body['sessions'] as {
    id: string;
    ip: string;
    created_at: string;
  }[];
  assert.is(list.length, 2);
  assert.match(list[0]?.created_at ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.is((await del('/api/accounts/dora/sessions/nosuch')).body.error, 'session_not_found');
  const foreign = (await ask('/api/accounts/operator/sessions')).body['sessions'] as { id: string }[];
  assert.is((await del(`/api/accounts/dora/sessions/${foreign[0]?.id}`)).body.error, 'session_not_found');
  assert.equal((await del(`/api/accounts/dora/sessions/${list[0]?.id}`)).body, { ended: 1 });
  assert.equal([await isIn(first), await isIn(second)].toSorted(), [false, true]);
  assert.equal((await del('/api/accounts/dora/sessions')).body, { ended: 1 });
  assert.equal([await isIn(first), await isIn(second)], [false, false]);
  const third = await server.token(account);
  assert.is((await put('/api/accounts/dora/password', { password: 'another battery' })).status, 200);
  assert.not(await isIn(third));
  assert.is((await put('/api/accounts/operator/password', { password: PASSWORD })).status, 200);
  assert.is((await ask('/api/plugins')).status, 200, 'the session of the request stays');
  await reauthenticate(server, token);
});

test('the sessions of an account are listed in pages', async () => {
  const { account } = await server.user('pia');
  for (let i = 0; i < 59; i += 1) await server.token(account);
  const { body: first } = await ask('/api/accounts/pia/sessions');
  const { body: rest } = await ask(`/api/accounts/pia/sessions?cursor=${String(first['next_cursor'])}`);
  const ids = [first, rest].map((body) => (body['sessions'] as { id: string }[]).map(({ id }) => id));
  assert.equal([ids[0]?.length, ids[1]?.length, rest['next_cursor']], [50, 10, null]);
  assert.is(new Set(ids.flat()).size, 60);
  assert.is((await ask('/api/accounts/pia/sessions?cursor=x')).body.error, 'invalid_request');
});

// threat weak-second-factor: an administrator resets a lost factor, and the event is logged
test('an operator lets in who lost the second factor, and the log names both', async () => {
  const { account, token: first } = await server.user('lena');
  const bystander = await server.user('lars');
  const kept = await enableTwofa(server, bystander.token);
  const { recoveryCodes } = await enableTwofa(server, first);
  const twofaRequired = async () => (await logIn(server, 'lena')).body['twofa_required'] === true;
  assert.ok(await twofaRequired());
  assert.is(
    (await server.ask('/api/accounts/lena/2fa', { method: 'DELETE', address: 'admin', token: first })).status,
    401,
  );
  assert.is(
    (await server.ask('/api/accounts/lars/2fa', { method: 'DELETE', token: first })).status,
    404,
    'on the user address there is no such path',
  );
  assert.ok(await twofaRequired());
  assert.is((await server.ask('/api/account/2fa', { token: first })).status, 200);
  assert.equal((await del('/api/accounts/lena/2fa')).body, { username: 'lena', enabled: false });
  assert.is((await server.ask('/api/account/2fa', { token: first })).status, 401, 'sessions end at once');
  const again = await logIn(server, 'lena');
  assert.is(again.status, 200, 'the password is enough');
  const { token: second = '' } = again.body as { token?: string };
  assert.equal((await server.ask('/api/account/2fa', { token: second })).body, {
    enabled: false,
    method: '',
    code: '',
  });
  assert.equal(
    (await del('/api/accounts/lena/2fa')).body,
    { username: 'lena', enabled: false },
    'a second time is the same',
  );
  assert.is((await server.ask('/api/account/2fa', { token: second })).status, 200, 'and changes nothing');
  const { core } = server.hostkeep;
  const lines = (await core.events.page(account.id, 'two-factor', 0, -1)).lines.filter((line) =>
    line.includes('turned off'),
  );
  assert.is(lines.length, 1);
  assert.match(
    lines[0] ?? '',
    /User 'lena' had two-factor authentication turned off by the administrator 'operator' from IP 127\.0\.0\.1$/,
  );
  assert.equal(
    (await core.events.after(0, 10_000))
      .filter(({ type }) => type === 'twofa.reset')
      .map(({ username, data }) => [username, data['by']]),
    [['lena', 'operator']],
  );
  await enableTwofa(server, second);
  assert.is(
    (await logIn(server, 'lena', { code: recoveryCodes[0] ?? '' })).status,
    401,
    'recovery codes went with the factor that they were for',
  );
  assert.is((await logIn(server, 'lars', { code: kept.recoveryCodes[0] ?? '' })).status, 200, 'nobody else lost any');
});

// asvs 6.4.3, 6.4.4: an administrator sets passwords and resets lost factors of others, never the own
test('a pending set-up is removed too; the own factor needs password and code', async () => {
  const { token: user } = await server.user('mona');
  const setup = await server.ask<{ secret: string }>('/api/account/2fa/setup', {
    method: 'POST',
    token: user,
    body: { password: PASSWORD },
  });
  assert.is((await del('/api/accounts/mona/2fa')).status, 200);
  assert.is(
    (
      await server.ask('/api/account/2fa/confirm', {
        method: 'POST',
        token: user,
        body: { code: codeOf(setup.body.secret) },
      })
    ).body['error'],
    'twofa_not_started',
  );
  const second = await server.admin('twofold');
  await enableTwofa(server, second.token, 'admin');
  const own = await server.ask<Body>('/api/accounts/twofold/2fa', {
    method: 'DELETE',
    address: 'admin',
    token: second.token,
  });
  assert.is(own.status, 409);
  assert.is(own.body.error, 'own_account');
  assert.is((await logIn(server, 'twofold', { address: 'admin' })).body['twofa_required'], true);
  assert.is((await del('/api/accounts/twofold/2fa')).status, 200, 'another administrator may');
  assert.is((await logIn(server, 'twofold', { address: 'admin' })).status, 200);
});

test('lists are paged by cursor, each account once', async () => {
  const { core } = server.hostkeep;
  const { hash } = (await core.credentials.passwordOf('operator')) ?? assert.unreachable() ?? { hash: '' };
  const create = (i: number) =>
    core.accounts.create({
      username: `page-${String(i).padStart(4, '0')}`,
      role: 'user',
      plan: 'basic',
      passwordHash: hash,
    });
  for (let i = 0; i < 510; i += 10) await Promise.all(Array.from({ length: 10 }, (_, j) => create(i + j)));
  const seen: string[] = [];
  let cursor: string | null = '';
  let pages = 0;
  while (cursor !== null) {
    const { body } = await ask(`/api/accounts?limit=100&cursor=${cursor}`);
    seen.push(...(body['accounts'] as { username: string }[]).map((each) => each.username));
    cursor = body['next_cursor'] as string | null;
    pages += 1;
  }
  assert.is(seen.length, (await core.accounts.list(1000)).length);
  assert.equal(seen, [...new Set(seen)].toSorted());
  assert.is(pages, Math.ceil(seen.length / 100));
  assert.is(((await ask('/api/accounts')).body['accounts'] as unknown[]).length, 50);
});

// threat reused-names: an administrator cannot create an account whose name is reserved or ambiguous
test("a removed account's name is reserved; none extends another by an underscore", async () => {
  await server.user('nora');
  const create = async (username: string) =>
    (await post('/api/accounts', { username, password: PASSWORD, plan: 'basic' })).body.error;
  assert.is(await create('nora_b'), 'ambiguous_username');
  assert.equal((await del('/api/accounts/nora')).body, { username: 'nora', deleted: true });
  assert.is(await create('nora'), 'name_reserved');
  assert.is(await create('nora_b'), 'ambiguous_username');
  assert.is((await del('/api/accounts/nora')).body.error, 'account_not_found');
});

test('an override beats the plan, until it is left to the plan again', async () => {
  await server.user('erik', 'basic');
  const features = (body: Body) => body['features'] as string[];
  const granted = (await put('/api/accounts/erik/features/docker')).body;
  assert.ok(features(granted).includes('docker'));
  assert.equal(granted['overrides'], { docker: true });
  const revoked = (await del('/api/accounts/erik/features/docker')).body;
  assert.not(features(revoked).includes('docker'));
  assert.equal(revoked['overrides'], { docker: false });
  await put('/api/plans/basic/features/docker');
  assert.not(features((await ask('/api/accounts/erik')).body).includes('docker'));
  const inherited = (await del('/api/accounts/erik/features/docker?inherit=true')).body;
  assert.ok(features(inherited).includes('docker'));
  assert.equal(inherited['overrides'], {});
  await del('/api/plans/basic/features/docker');
  assert.not(features((await ask('/api/accounts/erik')).body).includes('docker'));
});

test('a toggle applies to the next request, and no request is lost', async () => {
  const user = await server.user('poller', 'standard');
  const stop = new AbortController();
  let asked = 0;
  const other: unknown[] = [];
  const poll = async () => {
    const { status, body } = await server.ask<Body>('/api/domains', { token: user.token });
    asked += 1;
    if (status !== 200 && !(status === 403 && body['feature'] === 'domains')) other.push(status);
  };
  const pollOn = async () => {
    while (!stop.signal.aborted) await poll().catch((error: unknown) => other.push(error));
  };
  const pollers = [pollOn(), pollOn(), pollOn()];
  for (let round = 0; round < 20; round += 1) {
    const path = round % 2 === 0 ? '/api/plans/standard/features/domains' : '/api/accounts/poller/features/domains';
    const now = async () => (await server.ask('/api/domains', { token: user.token })).status;
    await del(path);
    assert.is(await now(), 403);
    await put(path);
    assert.is(await now(), 200);
    await del('/api/accounts/poller/features/domains?inherit=true');
    assert.is(await now(), 200);
  }
  stop.abort();
  await Promise.all(pollers);
  assert.equal(other, []);
  assert.ok(asked > 50, `${asked} requests`);
});

test('features and plugins are listed with their state', async () => {
  const features = (await ask('/api/features')).body['features'] as {
    name: string;
    plugin: string | null;
    state: string | null;
    title: string;
  }[];
  assert.equal(features.length, server.hostkeep.core.locales.featureNames.size);
  const domains = features.find(({ name }) => name === 'domains');
  assert.is(domains?.plugin, 'domains');
  assert.is(domains?.state, 'ready');
  assert.is(features.find(({ name }) => name === 'pm2')?.plugin, null);
  const plugins = (await ask('/api/plugins')).body['plugins'] as {
    name: string;
    state: string;
    provides: string[];
    reason: string | null;
  }[];
  const accounts = plugins.find(({ name }) => name === 'accounts');
  assert.is(accounts?.state, 'ready');
  assert.is(accounts?.reason, null);
  assert.ok(plugins.find(({ name }) => name === 'domains')?.provides.includes('dashboard'));
});

test('accounts are filtered by the server, with the total of what is left', async () => {
  const { core } = server.hostkeep;
  await core.accounts.create({ username: 'filter-one', role: 'user', plan: 'basic', passwordHash: 'x' });
  const two = { username: 'filter-two', role: 'user', plan: 'standard', passwordHash: 'x' } as const;
  await core.accounts.create({ ...two, email: 'Jane@Filter-One.example' });
  await ask('/api/accounts/filter-two/suspend', { method: 'POST' });
  const found = async (query: string) => {
    const { body } = await ask(`/api/accounts?limit=1&${query}`);
    return [(body['accounts'] as { username: string }[])[0]?.username, body['total']];
  };
  assert.equal(await found('q=filter-'), ['filter-one', 2]);
  assert.equal(await found('q=FILTER-ONE'), ['filter-one', 2], 'names and addresses, in any case');
  assert.equal(await found('q=filter-&plan=standard'), ['filter-two', 1]);
  assert.equal(await found('q=filter-&suspended=true'), ['filter-two', 1]);
  assert.equal(await found('q=filter-&suspended=false'), ['filter-one', 1]);
  assert.equal(await found('q=filter-&role=admin'), [undefined, 0]);
  assert.equal(await found('q=%25'), [undefined, 0], 'nothing is a pattern');
  assert.is((await ask('/api/accounts?search=filter')).status, 400);
  assert.is((await ask('/api/accounts?suspended=maybe')).status, 400);
});

test('administrators see what an account has: its domains, activity and usage', async () => {
  const user = await server.user('owner', 'basic');
  const added = await server.ask('/api/domains/new', {
    method: 'POST',
    token: user.token,
    body: { domain_url: 'owner-of-this.example' },
  });
  assert.is(added.status, 201);
  const { body: domains } = await ask('/api/accounts/owner/domains');
  assert.equal(domains, (await server.ask('/api/domains', { token: user.token })).body);
  const { body: activity } = await ask('/api/accounts/owner/activity?search=domain');
  assert.match(
    String((activity['log_content'] as string[])[0]),
    /User 'owner' added the domain owner-of-this\.example/,
  );
  const answers = await Promise.all([ask('/api/accounts/owner/usage'), ask('/api/accounts/owner/usage')]);
  for (const { status, body } of answers) {
    assert.is(status, 200);
    const usage = body['usage'] as { resource: string; used: number; limit: number; over: boolean }[];
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
  const asked = [ask('/api/doctor'), ask('/api/doctor'), ask('/api/doctor')];
  const [plans, ...answers] = await Promise.all([ask('/api/plans'), ...asked]);
  assert.is(plans.status, 200, 'others are served meanwhile');
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
  try {
    const { token } = await own.admin();
    for (const name of ['full', 'roomy', 'once', 'unseen']) await own.account(name);
    const { body } = await own.ask<{ accounts: { username: string }[] }>('/api/accounts?over=true', {
      token,
      address: 'admin',
    });
    assert.equal(pick(body.accounts, 'username'), ['full', 'once', 'unseen']);
    assert.equal(measured.toSorted(), ['once', 'unseen'], 'a figure is good for a day');
  } finally {
    await own.close();
  }
});

test('the server sorts accounts page by page and finds those over their limits', async () => {
  const own = await TestServer.start();
  try {
    const root = await own.admin();
    const list = async (query: string) =>
      (
        await own.ask<{ accounts: { username: string }[]; next_cursor: string | null; total: number }>(
          `/api/accounts?${query}`,
          { token: root.token, address: 'admin' },
        )
      ).body;
    const { accounts } = own.hostkeep.core;
    for (const [username, plan, email] of [
      ['ann', 'standard', 'z@example.com'],
      ['bob', 'basic', 'y@example.com'],
      ['cid', 'basic', ''],
      ['dan', null, 'y@example.com'],
    ] as const)
      await accounts.create({ username, role: 'user', plan, email, passwordHash: 'x' });
    const all = async (sort: string) => {
      const names: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: Awaited<ReturnType<typeof list>> = await list(`limit=2&sort=${sort}&cursor=${cursor}`);
        assert.is(page.total, 5);
        names.push(...page.accounts.map(({ username }) => username));
        cursor = page.next_cursor;
      }
      return names.join(' ');
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
    const over = await list('over=true');
    assert.equal(pick(over.accounts, 'username'), ['bob']);
    assert.is(over.next_cursor, null);
    assert.equal((await list('over=true&plan=standard')).accounts, []);
    const { body } = await own.ask('/api/plans', { token: root.token, address: 'admin' });
    assert.equal(body['accounts'], { basic: 2, standard: 1 });
  } finally {
    await own.close();
  }
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
  try {
    const { token } = await own.admin();
    for (const name of ['ann', 'bob', 'cid']) ids.set(name, (await own.account(name)).id);
    const list = async (query: string) =>
      (
        await own.ask<{ accounts: { username: string; usage?: AccountFigures }[]; next_cursor: string | null }>(
          `/api/accounts?${query}`,
          { token, address: 'admin' },
        )
      ).body;
    const names: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Awaited<ReturnType<typeof list>> = await list(`sort=-disk_kib&limit=1&cursor=${cursor}`);
      names.push(...page.accounts.map(({ username }) => username));
      cursor = page.next_cursor;
    }
    assert.equal(names, ['bob', 'ann', 'cid', 'root'], 'what is not known comes last');
    const [ann] = (await list('usage=true&q=ann')).accounts;
    assert.equal(ann?.usage, figuresOf('ann'));
    assert.is((await list('q=ann')).accounts[0]?.usage, undefined);
    const { token: other } = await without.admin();
    assert.is((await without.ask('/api/accounts?usage=true', { token: other, address: 'admin' })).status, 200);
    assert.is((await without.ask('/api/accounts?sort=inodes', { token: other, address: 'admin' })).status, 503);
  } finally {
    await Promise.all([own.close(), without.close()]);
  }
});
