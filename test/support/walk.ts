import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TOTP } from 'otpauth';
import { readJson } from '../../kernel/config/configuration.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import type { RouteInfo } from '../../kernel/contract/node-info.ts';
import { PASSWORD, type Answer, type TestServer } from './hostkeep.ts';

interface Request {
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  /** Records what later requests need from the reply. */
  readonly keep?: (body: Record<string, string>) => void;
}

const kept = { secret: '', session: '', token: '', webhook: '', link: '' };
/** Names the lock of the address from which all requests here come. */
const LOCK = Buffer.from('address 127.0.0.1').toString('base64url');
const code = () => new TOTP({ secret: kept.secret }).generate();
const keepToken = ({ id = '' }: Record<string, string>) => void (kept.token = id);
const keepSecret = ({ secret = '' }: Record<string, string>) => void (kept.secret = secret);

/** Returns the path of a file that the build made. */
function builtAsset(): string {
  const { types } = readJson(join(projectDir, 'dist/plugins/pages/assets/manifest.json')) as { types: object };
  return `/assets/${Object.keys(types)[0]}`;
}

/** Requests on the demo's content for routes that need more than a path; in this order, as some undo others. */
const REQUESTS: Readonly<Record<string, () => Request>> = {
  'pages.start': () => ({ headers: { accept: 'text/html' } }),
  'pages.start on admin': () => ({ headers: { accept: 'text/html' } }),
  'pages.home': () => ({ path: '/home/domains', headers: { accept: 'text/html' } }),
  'pages.console': () => ({ path: '/console/accounts', headers: { accept: 'text/html' } }),
  'pages.asset': () => ({ path: builtAsset() }),
  'pages.asset on admin': () => ({ path: builtAsset() }),
  'files.list': () => ({ path: '/api/folders/var/www/html' }),
  'login.login': () => ({ body: { username: 'demo', password: PASSWORD } }),
  'login.login on admin': () => ({ body: { username: 'operator', password: PASSWORD } }),
  'profile.setLanguage': () => ({ body: { locale: 'de' } }),
  'profile.putFavorite': () => ({ body: { link: '/files', title: 'Files' } }),
  'profile.removeFavorite': () => ({ body: { link: '/files' } }),
  'profile.activity': () => ({ path: '/api/account/activity?search=demo&page=1' }),
  'databases.size': () => ({ path: '/api/database-size?database=shop.sqlite' }),
  'domains.add': () => ({ body: { domain_url: 'new-shop.example' } }),
  'screenshots.show': () => ({ path: '/api/screenshot/new-shop.example?width=320' }),
  'domains.remove': () => ({ body: { domain_url: 'new-shop.example' } }),
  'websites.databaseInfo': () => ({ path: '/api/database_info?domain=sunny-garden.example' }),
  'control.createPlan': () => ({
    body: { name: 'starter', description: 'For a first site', domains_limit: 2, features: ['domains'] },
  }),
  'control.updatePlan': () => ({ path: '/api/plans/starter', body: { cpu_limit: 1.5 } }),
  'control.plan': () => ({ path: '/api/plans/starter' }),
  'control.switchOn': () => ({ path: '/api/plans/starter/features/waf' }),
  'control.switchOff': () => ({ path: '/api/plans/starter/features/waf' }),
  'control.createAccount': () => ({ body: { username: 'jane', password: PASSWORD, role: 'user', plan: 'starter' } }),
  'control.updateAccount': () => ({ path: '/api/accounts/jane', body: { email: 'jane@example.com' } }),
  'control.account': () => ({ path: '/api/accounts/jane' }),
  'control.password': () => ({ path: '/api/accounts/jane/password', body: { password: `${PASSWORD}!` } }),
  'control.grant': () => ({ path: '/api/accounts/jane/features/waf' }),
  'control.revoke': () => ({ path: '/api/accounts/jane/features/waf' }),
  'control.suspend': () => ({ path: '/api/accounts/jane/suspend' }),
  'control.unsuspend': () => ({ path: '/api/accounts/jane/unsuspend' }),
  'control.sessions': () => ({ path: '/api/accounts/other/sessions' }),
  'control.usage': () => ({ path: '/api/accounts/demo/usage' }),
  'domains.ofAccount': () => ({ path: '/api/accounts/demo/domains' }),
  'profile.activityOf': () => ({ path: '/api/accounts/demo/activity?search=domain' }),
  'control.endSession': () => ({ path: `/api/accounts/other/sessions/${kept.session}` }),
  'login.tokensOf': () => ({ path: '/api/accounts/other/tokens' }),
  'login.endTokenOf': () => ({ path: `/api/accounts/other/tokens/${kept.token}` }),
  'login.endTokensOf': () => ({ path: '/api/accounts/other/tokens' }),
  'control.endSessions': () => ({ path: '/api/accounts/other/sessions' }),
  'control.removeAccount': () => ({ path: '/api/accounts/jane' }),
  'control.removePlan': () => ({ path: '/api/plans/starter' }),
  'login.makeToken': () => ({
    body: { name: 'Backup', scopes: ['domains:read'], password: PASSWORD },
    keep: keepToken,
  }),
  'login.endToken': () => ({ path: `/api/account/tokens/${kept.token}` }),
  'login.endTokens': () => ({}),
  'login.makeToken on admin': () => ({
    body: { name: 'Billing', scopes: ['accounts:read', 'accounts:write'], expires_in_days: 365, password: PASSWORD },
    keep: keepToken,
  }),
  'login.endToken on admin': () => ({ path: `/api/account/tokens/${kept.token}` }),
  'login.endTokens on admin': () => ({}),
  'webhooks.list': () => ({
    keep: ({ webhooks }) => void (kept.webhook = (webhooks as unknown as readonly { id: string }[])[0]?.id ?? ''),
  }),
  'webhooks.test': () => ({ path: `/api/webhooks/${kept.webhook}/test` }),
  'webhooks.redeliver': () => ({ path: `/api/webhooks/${kept.webhook}/redeliver`, body: { event_id: null } }),
  'login.setupTwofa': () => ({ body: { password: PASSWORD }, keep: keepSecret }),
  'login.confirmTwofa': () => ({ body: { code: code() } }),
  'login.disableTwofa': () => ({
    body: { password: PASSWORD, code: new TOTP({ secret: kept.secret }).generate({ timestamp: Date.now() + 30_000 }) },
  }),
  'login.password': () => ({ body: { password: PASSWORD, new_password: `${PASSWORD}!` } }),
  'login.endSession': () => ({ path: `/api/account/sessions/${kept.session}` }),
  'login.reauthenticate': () => ({ body: { password: PASSWORD } }),
  'login.resetTwofa': () => ({ path: '/api/accounts/other/2fa' }),
  'login.unlock': () => ({ path: '/api/accounts/other/unlock' }),
  'login.loginLink': () => ({
    path: '/api/accounts/demo/login-link',
    keep: ({ url = '' }) => void (kept.link = url.slice(url.indexOf('=') + 1)),
  }),
  'login.useLoginLink': () => ({ body: { code: kept.link } }),
  'login.liftLock': () => ({ path: `/api/locks/${LOCK}` }),
  'login.logout': () => ({}),
  'login.setupTwofa on admin': () => ({ body: { password: PASSWORD }, keep: keepSecret }),
  'login.confirmTwofa on admin': () => ({ body: { code: code() } }),
  'login.disableTwofa on admin': () => ({
    body: { password: PASSWORD, code: new TOTP({ secret: kept.secret }).generate({ timestamp: Date.now() + 30_000 }) },
  }),
  'login.password on admin': () => ({ body: { password: PASSWORD, new_password: `${PASSWORD}!` } }),
  'login.endSession on admin': () => ({ path: `/api/account/sessions/${kept.session}` }),
  'login.logout on admin': () => ({}),
};

/** What a node by itself refuses; the tests of the fleet send it. */
export const OF_A_FLEET: readonly string[] = ['fleet.drain', 'fleet.undrain'];

export interface Step {
  /** Plugin and name of the route. */
  readonly name: string;
  readonly route: RouteInfo;
  readonly sent: unknown;
  readonly answer: Answer<Record<string, string>>;
  /** Asks once more, with further headers. */
  readonly ask: (more?: Record<string, string>) => Promise<Answer<Record<string, string>>>;
}

/**
 * Sends one allowed request to every route on the demo's content. Rejects if a route needs input and no row provides
 * it. `leftOut` receives the content that a plugin could not create.
 */
export async function* walk(
  server: TestServer,
  leftOut: (plugin: string, error: unknown) => void,
): AsyncGenerator<Step> {
  const {
    plugins,
    node,
    core: { sessions, tokens: apiTokens },
  } = server.hostkeep;
  const people = {
    demo: await server.account('demo'),
    other: await server.account('other', 'basic'),
    operator: await server.account('operator', '', 'admin'),
  };
  await server.ask('/api/login', { method: 'POST', body: { username: 'demo', password: 'wrong' } }); // which can be forgotten
  for (const { plugin, error } of await plugins.callInOrder('demo', { ...people, neighbours: [] }))
    if (error !== undefined) leftOut(plugin, error);
  for (const { plugin, value } of await plugins.callInOrder('demoOutside', people))
    for (const line of value?.leftOut ?? []) leftOut(plugin, line);
  const tokens = { user: await server.token(people.demo), admin: await server.token(people.operator) };
  const routes = byName(node.routes());
  for (const name of orderOf(routes)) {
    const route = routes.get(name) as RouteInfo;
    const { address } = route;
    const target =
      name === 'control.endSession' || name === 'control.endSessions'
        ? people.other
        : address === 'user'
          ? people.demo
          : people.operator;
    if (/endsession/i.test(name)) await server.token(target);
    if (name === 'login.tokensOf') {
      const wanted = { name: 'Backup', scopes: ['domains:read'], networks: [], expiresAt: Date.now() + 86_400_000 };
      kept.token = (await apiTokens.make(people.other, wanted, '127.0.0.1')).made.id;
    }
    kept.session =
      (await sessions.list(target.id)).find(({ id }) => !payloadOf(tokens[address]).includes(id))?.id ?? '';
    const { path = route.paths[0] ?? '', headers = {}, body, keep } = REQUESTS[name]?.() ?? {};
    const isStream = route.produces?.includes('text/event-stream') === true;
    const method = isStream ? 'HEAD' : route.method; // a stream does not end
    const ask = (more: Record<string, string> = {}) =>
      server.ask<Record<string, string>>(path, {
        method,
        address,
        token: tokens[address],
        headers: { ...headers, ...more },
        ...(body === undefined ? {} : { body }),
      });
    let answer = await ask();
    // What measures the machine may be too late on a busy one, and says when to ask again.
    for (let again = 0; again < 20 && answer.headers.has('retry-after'); again += 1) {
      await delay(Number(answer.headers.get('retry-after')) * 1000);
      answer = await ask();
    }
    yield { name, route, sent: body, answer, ask };
    keep?.(answer.body);
  }
}

/** Routes by plugin and name; that of the admin address, where both have one, is called `<name> on admin`. */
function byName(routes: readonly RouteInfo[]): Map<string, RouteInfo> {
  const named = new Map<string, RouteInfo>();
  for (const route of routes) {
    const name = `${route.plugin}.${route.name}`;
    named.set(named.has(name) ? `${name} on ${route.address}` : name, route);
  }
  return named;
}

/** Routes that need no row first, then the rows in order. */
function orderOf(routes: ReadonlyMap<string, RouteInfo>): string[] {
  const plain = [...routes]
    .filter(
      ([name, { method, paths }]) => REQUESTS[name] === undefined && method === 'GET' && !/[:*]/.test(paths[0] ?? ''),
    )
    .map(([name]) => name);
  const asked = [...plain, ...Object.keys(REQUESTS), ...OF_A_FLEET];
  const unasked = [...routes.keys()].filter((name) => !asked.includes(name));
  if (unasked.length > 0) throw new Error(`no row says how to request ${unasked.join(', ')}`);
  return [...plain, ...Object.keys(REQUESTS)];
}

function payloadOf(token: string): string {
  return Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
}
