import * as assert from '../../support/assert.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { RouteInfo } from '../../../kernel/contract/node-info.ts';
import type { Address, RouteSpec } from '../../../kernel/contract/route-spec.ts';
import { describe } from '../../../kernel/host/route-infos.ts';
import { CompiledRoute } from '../../../kernel/http/compiled-route.ts';
import { Type } from '../../../kernel/schema.ts';
import { usableRoutes } from '../../../plugins/openapi/usable-routes.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('openapi: usable routes');

function route(name: string, spec: Partial<RouteSpec>): Record<string, RouteSpec> {
  return { [name]: { method: 'GET', path: `/${name}`, summary: name, reply: Type.Object({}), ...spec } };
}

/** A route of every access, on each address and on both. */
const ROUTES = describe('probe', ['dns', 'pm2'], {
  ...route('guest', { access: 'guest', address: 'both' }),
  ...route('user', { access: 'user' }),
  ...route('userOfAdmin', { access: 'user', address: 'admin' }),
  ...route('userOfBoth', { access: 'user', address: 'both' }),
  ...route('feature', {}),
  ...route('featureOfAdmin', { address: 'admin' }),
  ...route('featureOfBoth', { address: 'both', feature: { any: ['dns', 'pm2'], all: ['waf'] } }),
  ...route('admin', { access: 'admin', address: 'admin' }),
});

const account = (role: Account['role'], ...features: string[]) =>
  ({ role, features: new Set(features) }) as unknown as Account;
const namesOf = (routes: readonly RouteInfo[] | undefined) => routes?.map(({ name }) => name);

test('a guest sees the routes that need no token', () => {
  for (const address of ['user', 'admin'] as const)
    assert.equal(namesOf(usableRoutes(ROUTES, address, undefined)), ['guest']);
});

test('a token of the other address is not valid', () => {
  assert.is(usableRoutes(ROUTES, 'user', account('admin')), undefined);
  const withoutFeatures = ROUTES.filter(({ access }) => access !== 'feature');
  assert.is(
    usableRoutes(withoutFeatures, 'admin', account('user', 'dns')),
    undefined,
    'no route there is opened by a feature',
  );
});

test('a user on the admin address sees the routes that a feature opens', () => {
  assert.equal(namesOf(usableRoutes(ROUTES, 'admin', account('user'))), ['guest']);
  assert.equal(namesOf(usableRoutes(ROUTES, 'admin', account('user', 'dns'))), ['guest', 'featureOfAdmin']);
  assert.equal(
    namesOf(usableRoutes(ROUTES, 'admin', account('user', 'pm2', 'waf'))),
    ['guest'],
    'a route of both addresses is for administrators there',
  );
});

test('a user sees what features open, an administrator the whole admin address', () => {
  assert.equal(namesOf(usableRoutes(ROUTES, 'user', account('user'))), ['guest', 'user', 'userOfBoth']);
  assert.equal(namesOf(usableRoutes(ROUTES, 'user', account('user', 'dns'))), [
    'guest',
    'user',
    'userOfBoth',
    'feature',
  ]);
  assert.equal(namesOf(usableRoutes(ROUTES, 'user', account('user', 'dns', 'waf'))), [
    'guest',
    'user',
    'userOfBoth',
    'feature',
    'featureOfBoth',
  ]);
  assert.equal(namesOf(usableRoutes(ROUTES, 'admin', account('admin'))), [
    'guest',
    'userOfAdmin',
    'userOfBoth',
    'featureOfAdmin',
    'featureOfBoth',
    'admin',
  ]);
});

test('a caller sees exactly the routes that the gate admits', () => {
  const live = ROUTES.map((info) => new CompiledRoute(info, () => ({})));
  const admitted = (address: Address, caller: Account) =>
    live.filter((each) => {
      if (each.info.address !== address) return false;
      if (each.isGuest) return true;
      try {
        each.authorize(caller, true);
        return true;
      } catch {
        return false;
      }
    });
  for (const features of [[], ['dns'], ['pm2'], ['waf'], ['dns', 'waf'], ['pm2', 'waf'], ['dns', 'pm2', 'waf']]) {
    for (const address of ['user', 'admin'] as const)
      assert.equal(
        namesOf(usableRoutes(ROUTES, address, account('user', ...features))),
        admitted(address, account('user', ...features)).map(({ info }) => info.name),
        `${address}: ${features.join(' ')}`,
      );
  }
  assert.equal(
    namesOf(usableRoutes(ROUTES, 'admin', account('admin'))),
    admitted('admin', account('admin')).map(({ info }) => info.name),
  );
});
