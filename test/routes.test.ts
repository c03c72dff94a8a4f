/** Walks the whole route table, whatever plugins there are: one gate before every method of every route. */
import { TOTP } from 'otpauth';
import * as assert from 'uvu/assert';
import type { RouteInfo } from '../kernel/node.ts';
import type { Address } from '../kernel/plugin.ts';
import { PASSWORD, TestServer } from './support/hostkeep.ts';
import { rawRequest } from './support/raw.ts';
import { testSuite } from './support/suite.ts';

const test = testSuite('every route');
let server: TestServer;
let nobody: string;
let admin: string;
test.before(async () => {
  server = await TestServer.start({ config: { screenshots: { remote_url: 'https://pictures.example/{domain}' } } }); // asks for no browser
  const { plans } = server.hostkeep.core;
  const { name: _, features: __, ...limits } = await plans.get('basic');
  await plans.create('nothing', limits, []);
  nobody = (await server.user('nobody', 'nothing')).token;
  admin = (await server.admin()).token;
});
test.after(() => server.close());

interface Door {
  readonly route: RouteInfo;
  readonly address: Address;
  readonly path: string;
}

/** Every route on every address under every path, with something in the place of parameters. */
function doors(): Door[] {
  return server.hostkeep.node.routes().flatMap((route) => route.addresses.flatMap((address) => route.paths.map((path) => ({ route, address, path: path.replace(/[:*]\w+/g, 'x') }))));
}

const nameOf = ({ route, address }: Door) => `${route.plugin}.${route.name} on ${address}`;

test('without a token, or with one of the other address, there is 401 before anything else', async () => {
  for (const door of doors()) {
    const { route, address, path } = door;
    if (route.access === 'guest') continue;
    const wrong = address === 'user' ? admin : nobody;
    for (const token of [undefined, 'x.y.z', wrong]) {
      const { status, headers, body } = await server.ask(path, { method: route.method, address, ...(token === undefined ? {} : { token }), ...(route.body === undefined ? {} : { body: '{' }) });
      assert.is(status, 401, nameOf(door));
      assert.is(body['error'], 'authentication_required', nameOf(door));
      assert.is(headers.get('www-authenticate'), 'Bearer', nameOf(door));
    }
  }
});

test('without the feature there is 403, which names it', async () => {
  for (const door of doors()) {
    const { route, address, path } = door;
    if (route.access !== 'feature' || address !== 'user') continue;
    const { status, body } = await server.ask(path, { method: route.method, token: nobody, ...(route.body === undefined ? {} : { body: '{' }) });
    assert.is(status, 403, nameOf(door));
    assert.is(body['error'], 'feature_disabled', nameOf(door));
    assert.ok(route.features.includes(String(body['feature'])), nameOf(door));
  }
});

test('methods that a path does not declare get 405 and are told what it answers', async () => {
  const byPath = new Map<string, Door[]>();
  for (const door of doors()) byPath.set(`${door.address} ${door.path}`, [...(byPath.get(`${door.address} ${door.path}`) ?? []), door]);
  for (const [key, list] of byPath) {
    const declared = new Set(list.flatMap(({ route }) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method])));
    const { address, path } = list[0] as Door;
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
      if (declared.has(method)) continue;
      const head = await rawRequest(server.hostkeep.url(address), `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`, (text) => text.includes('\r\n\r\n'));
      assert.match(head, /^HTTP\/1.1 405 /, `${method} ${key}`);
      assert.match(head, new RegExp(`Allow: ${[...declared].toSorted().join(', ')}\r\n`, 'i'), `${method} ${key}`);
    }
  }
});

interface Request {
  readonly path?: string;
  readonly body?: unknown;
  /** What the next requests need of the reply. */
  readonly keep?: (body: Record<string, string>) => void;
}

const kept = { secret: '', session: '' };
const code = () => new TOTP({ secret: kept.secret }).generate();
const keepSecret = ({ secret = '' }: Record<string, string>) => void (kept.secret = secret);

/** How to ask each route that takes more than its path, on the content of the demo; in this order, because some undo others. */
const REQUESTS: Readonly<Record<string, () => Request>> = {
  'files.list': () => ({ path: '/api/folders/var/www/html' }),
  'account.login': () => ({ body: { username: 'demo', password: PASSWORD } }),
  'account.setLanguage': () => ({ body: { locale: 'de' } }),
  'account.putFavorite': () => ({ body: { link: '/files', title: 'Files' } }),
  'account.removeFavorite': () => ({ body: { link: '/files' } }),
  'account.activity': () => ({ path: '/api/account/activity?search=demo&page=1' }),
  'databases.size': () => ({ path: '/api/database-size?database=shop.sqlite' }),
  'domains.add': () => ({ body: { domain_url: 'walk.example' } }),
  'screenshots.show': () => ({ path: '/api/screenshot/walk.example?width=320' }),
  'domains.remove': () => ({ body: { domain_url: 'walk.example' } }),
  'websites.databaseInfo': () => ({ path: '/api/database_info?domain=sunny-garden.example' }),
  'control.createPlan': () => ({ body: { name: 'walked', description: 'made by a walk', domains_limit: 2, features: ['domains'] } }),
  'control.updatePlan': () => ({ path: '/api/plans/walked', body: { cpu_limit: 1.5 } }),
  'control.plan': () => ({ path: '/api/plans/walked' }),
  'control.switchOn': () => ({ path: '/api/plans/walked/features/waf' }),
  'control.switchOff': () => ({ path: '/api/plans/walked/features/waf' }),
  'control.createAccount': () => ({ body: { username: 'walker', password: PASSWORD, role: 'user', plan: 'walked' } }),
  'control.updateAccount': () => ({ path: '/api/accounts/walker', body: { email: 'walker@example.com' } }),
  'control.account': () => ({ path: '/api/accounts/walker' }),
  'control.password': () => ({ path: '/api/accounts/walker/password', body: { password: `${PASSWORD}!` } }),
  'control.grant': () => ({ path: '/api/accounts/walker/features/waf' }),
  'control.revoke': () => ({ path: '/api/accounts/walker/features/waf' }),
  'control.suspend': () => ({ path: '/api/accounts/walker/suspend' }),
  'control.unsuspend': () => ({ path: '/api/accounts/walker/unsuspend' }),
  'control.sessions': () => ({ path: '/api/accounts/other/sessions' }),
  'control.endSession': () => ({ path: `/api/accounts/other/sessions/${kept.session}` }),
  'control.endSessions': () => ({ path: '/api/accounts/other/sessions' }),
  'control.removeAccount': () => ({ path: '/api/accounts/walker' }),
  'control.removePlan': () => ({ path: '/api/plans/walked' }),
  'account.setupTwofa': () => ({ body: { password: PASSWORD }, keep: keepSecret }),
  'account.confirmTwofa': () => ({ body: { code: code() } }),
  'account.disableTwofa': () => ({ body: { password: PASSWORD, code: new TOTP({ secret: kept.secret }).generate({ timestamp: Date.now() + 30_000 }) } }),
  'account.password': () => ({ body: { password: PASSWORD, new_password: `${PASSWORD}!` } }),
  'account.endSession': () => ({ path: `/api/account/sessions/${kept.session}` }),
  'account.logout': () => ({}),
  'account.adminSetupTwofa': () => ({ body: { password: PASSWORD }, keep: keepSecret }),
  'account.adminConfirmTwofa': () => ({ body: { code: code() } }),
  'account.adminDisableTwofa': () => ({ body: { password: PASSWORD, code: new TOTP({ secret: kept.secret }).generate({ timestamp: Date.now() + 30_000 }) } }),
  'account.adminPassword': () => ({ body: { password: PASSWORD, new_password: `${PASSWORD}!` } }),
  'account.adminEndSession': () => ({ path: `/api/account/sessions/${kept.session}` }),
  'account.adminLogout': () => ({}),
};

/** What these answer from is not on every machine; their own suites start it. Here they may say 503. */
const OUTSIDE: ReadonlySet<string> = new Set(['containers']);

test('every route gives a real reply that its schema describes', async () => {
  const { accounts, sessions } = server.hostkeep.core;
  const people = { demo: await server.account('demo'), other: await server.account('other', 'basic'), operator: await server.account('operator', '', 'admin') };
  for (const { plugin, error } of await server.hostkeep.plugins.inTurn('demo', people)) assert.ok(error === undefined || OUTSIDE.has(plugin), `${plugin}: ${String(error)}`);
  const tokens = { user: await server.token(await accounts.get('demo')), admin: await server.token(people.operator) };
  const routes = new Map(server.hostkeep.node.routes().map((route) => [`${route.plugin}.${route.name}`, route]));
  const plain = [...routes].filter(([name, { method, paths }]) => REQUESTS[name] === undefined && method === 'GET' && !/[:*]/.test(paths[0] ?? '')).map(([name]) => name);
  assert.equal([...routes.keys()].filter((name) => !plain.includes(name) && REQUESTS[name] === undefined), [], 'routes that nobody asks');
  for (const name of [...plain, ...Object.keys(REQUESTS)]) {
    const route = routes.get(name) as RouteInfo;
    const address = route.addresses[0] ?? 'user';
    const target = name === 'control.endSession' || name === 'control.endSessions' ? people.other : address === 'user' ? people.demo : people.operator;
    if (/endsession/i.test(name)) await server.token(target);
    kept.session = (await sessions.list(target.id)).find(({ id }) => !payloadOf(tokens[address]).includes(id))?.id ?? '';
    const { path = route.paths[0] ?? '', body, keep } = REQUESTS[name]?.() ?? {};
    const method = route.produces?.includes('text/event-stream') === true ? 'HEAD' : route.method; // a stream has no end to wait for
    const answer = await server.ask<Record<string, string>>(path, { method, address, token: tokens[address], ...(body === undefined ? {} : { body }) });
    if (OUTSIDE.has(route.plugin) && answer.status === 503) continue;
    assert.is(answer.status, route.status ?? 200, `${name}: ${JSON.stringify(answer.body)}`);
    keep?.(answer.body);
  }
});

function payloadOf(token: string): string {
  return Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
}

test('a route says what it is for', () => {
  for (const { route } of doors()) assert.match(route.summary, /^[A-Z][^]{4,160}[^.]$/, `${route.plugin}.${route.name}`);
});
