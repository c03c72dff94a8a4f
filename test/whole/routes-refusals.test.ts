/** Checks who and what every route of every plugin refuses: no test of a plugin repeats this. */
import * as assert from '../support/assert.ts';
import { isBytes } from '../../kernel/contract/incoming-body.ts';
import type { TSchema } from '../../kernel/schema.ts';
import { TestServer, type Person } from '../support/hostkeep.ts';
import { byRoute } from '../support/plugin-rows.ts';
import { nameOf, routeAddresses, type RouteAddress } from '../support/route-addresses.ts';
import { outcome, type Outcome } from '../support/scenario.ts';
import { testSuite } from '../support/suite.ts';
import { beyondBounds, ofAnotherType } from '../support/wrong-values.ts';

const test = testSuite('every route: refusals');
let server: TestServer;
let nobody: Person;
let holder: Person;
let admin: Person;
test.before(async () => {
  server = await TestServer.start();
  const { accounts, plans } = server.hostkeep.core;
  const { name: _, features: __, ...limits } = await plans.get('basic');
  await plans.create('nothing', limits, []);
  nobody = await server.user('nobody', 'nothing');
  [holder, admin] = [await server.user('holder'), await server.admin()];
  await accounts.update((await server.account('planless')).username, { plan: null });
});

interface Question {
  readonly token?: string | undefined;
  readonly query?: string;
  readonly body?: unknown;
}

/** Asks a route, with a body that nobody can read unless one is given. */
const ask = ({ route, address, path }: RouteAddress, { token, query = '', body = '{' }: Question) =>
  server.ask(path + query, {
    method: route.method,
    address,
    ...(token !== undefined && { token }),
    ...(route.body !== undefined && { body }),
  });

/** Asserts for some routes that they refuse somebody. */
async function refuse(routes: readonly RouteAddress[], token: string | undefined, expected: Outcome): Promise<void> {
  assert.ok(routes.length > 0);
  for (const each of routes) assert.is(outcome(await ask(each, { token })), expected, nameOf(each));
}

const withToken = () => routeAddresses(server).filter(({ route }) => route.access !== 'guest');
const onUser = () => withToken().filter(({ address }) => address === 'user');

// threat filtered-post-only: every method of every route checks the token first
// threat open-usage-api: usage requires an administrator's token
// asvs 8.2.1: every route without a valid token for its address returns 401
test('without a valid token for the address every route returns 401 first', async () => {
  for (const each of withToken())
    for (const token of [undefined, 'x.y.z', each.address === 'user' ? admin.token : nobody.token]) {
      const answer = await ask(each, { token });
      assert.is(outcome(answer), '401 authentication_required', nameOf(each));
      assert.is(answer.headers.get('www-authenticate'), 'Bearer', nameOf(each));
    }
});

// threat fail-open: an account without a plan has no features
// asvs 8.2.1: without its feature a route returns 403
test('without its feature, or a plan, a route returns 403 and names the feature', async () => {
  const planless = await server.as(await server.hostkeep.core.accounts.get('planless'));
  for (const each of onUser().filter(({ route }) => route.access === 'feature'))
    for (const { token } of [nobody, planless]) {
      const answer = await ask(each, { token });
      assert.is(outcome(answer), '403 feature_disabled', nameOf(each));
      assert.is(answer.body['feature'], each.route.features[0], nameOf(each));
    }
});

test('a route that needs further features returns 403 without any of them', async () => {
  const { account, token } = await server.user('lacking');
  const { accounts } = server.hostkeep.core;
  const needy = onUser().flatMap((each) => each.route.requiredFeatures.map((feature) => ({ each, feature })));
  assert.ok(needy.length > 0);
  for (const { each, feature } of needy) {
    await accounts.setFeature(account.username, feature, false);
    const answer = await ask(each, { token });
    assert.equal([outcome(answer), answer.body['feature']], ['403 feature_disabled', feature], nameOf(each));
    await accounts.setFeature(account.username, feature, undefined);
  }
});

test('a path of the other address is 404, whoever asks', async () => {
  const all = routeAddresses(server);
  const patterns = new Set(all.flatMap(({ route, address }) => route.paths.map((path) => `${address} ${path}`)));
  for (const each of all) {
    const other = each.address === 'user' ? 'admin' : 'user';
    if (each.route.paths.some((one) => patterns.has(`${other} ${one}`))) continue;
    for (const { token } of [holder, admin]) {
      const { status } = await ask({ ...each, address: other }, { token });
      assert.ok([404, 405].includes(status), `${nameOf(each)}: ${status}`);
    }
  }
});

// asvs 7.4.2: a suspended account is refused at once, on every route
test('a suspended account is refused on every route', async () => {
  for (const person of [await server.user('suspended'), await server.admin('dismissed')]) {
    const own = withToken().filter(({ address }) => address === person.account.role);
    await server.hostkeep.core.accounts.suspend(person.account.username);
    const since = await server.as(person.account); // no such session can be, and yet it counts for nothing
    for (const { token } of [person, since]) await refuse(own, token, '401 authentication_required');
  }
});

test('while an account moves, what changes something at its home is refused', async () => {
  const { account, token } = await server.user('moving');
  await server.hostkeep.core.accounts.relocate(account.username, { isReadOnly: true }, async () => undefined);
  const changes = onUser().filter(
    ({ route }) => route.at === 'home' && route.method !== 'GET' && route.tokens !== 'delegated',
  );
  await refuse(changes, token, '503 account_moving');
});

test('what is done to an account that is not there is 404', async () => {
  const isNamed = ({ route: { params, body }, address }: RouteAddress) => {
    const names = Object.keys(params?.properties ?? {});
    return address === 'admin' && body === undefined && /^username(,id)?$/.test(names.join());
  };
  await refuse(withToken().filter(isNamed), admin.token, '404 account_not_found');
});

/** Asks a route with a query and a body; resolves with the faults of a refusal. */
async function faults(each: RouteAddress, question: Question): Promise<readonly string[]> {
  const { token } = each.address === 'user' ? holder : admin;
  const answer = await ask(each, { ...question, token: each.route.access === 'guest' ? undefined : token });
  assert.equal([answer.status, answer.body['error']], [400, 'invalid_request'], nameOf(each));
  return (answer.body['errors'] as { path: string }[]).map(({ path }) => path);
}

const takesObject = ({ route }: RouteAddress) => route.body !== undefined && !isBytes(route.body);

test('a member that a route does not know is refused, in the query and in the body', async () => {
  for (const each of routeAddresses(server)) {
    if (!takesObject(each)) {
      assert.is((await faults(each, { query: '?zzz=1', body: {} }))[0], '/zzz', nameOf(each));
      continue;
    }
    const values = Object.fromEntries(Object.keys(each.route.body?.['properties'] ?? {}).map((name) => [name, 'x']));
    await faults(each, { body: { ...values, zzz: 1 } });
    assert.is(each.route.body?.['additionalProperties'], false, nameOf(each));
  }
});

/** Asserts for each member of queries and bodies that a value is refused which is made from its schema. */
async function refuseMade(make: (schema: TSchema, isText: boolean) => unknown): Promise<void> {
  for (const each of routeAddresses(server)) {
    const refused = async (name: string, question: Question) =>
      assert.ok(
        (await faults(each, question)).some((path) => path.split('/')[1] === name),
        `${nameOf(each)}: ${name}`,
      );
    for (const [name, schema] of takesObject(each) ? [] : membersIn(each.route.query)) {
      const value = make(schema, true);
      if (value !== undefined) await refused(name, { query: `?${name}=${encodeURIComponent(String(value))}` });
    }
    for (const [name, schema] of takesObject(each) ? membersIn(each.route.body) : []) {
      const value = make(schema, false);
      if (value !== undefined) await refused(name, { body: { [name]: value } });
    }
  }
}

const membersIn = (schema: TSchema | undefined) =>
  Object.entries((schema?.['properties'] ?? {}) as Record<string, TSchema>);

test('a member of another type is refused', () =>
  refuseMade((schema, isText) => (!isText ? ofAnotherType(schema) : schema['type'] === 'string' ? undefined : 'zzz')));

// A body that is too large as a whole, or has a number that is not exact, is refused before its members are looked at.
const isSent = (value: unknown) =>
  typeof value === 'number' ? Number.isSafeInteger(Math.round(value)) : JSON.stringify(value).length < 30_000;

test('a member beyond its bounds is refused', () =>
  refuseMade((schema) => {
    const value = beyondBounds(schema);
    return value !== undefined && isSent(value) ? value : undefined;
  }));

test('a body without what it needs is refused', async () => {
  for (const each of routeAddresses(server).filter(takesObject)) {
    const { properties = {}, required = [] } = each.route.body as {
      properties?: Record<string, object>;
      required?: string[];
    };
    const needed = required.filter((name) => !('default' in (properties[name] ?? {})));
    if (needed.length > 0)
      assert.equal(
        await faults(each, { body: {} }),
        needed.map((name) => `/${name}`),
        nameOf(each),
      );
  }
});

// threat crowding-out: nothing that a client sends is as long as it likes
test('every text, list and number in a body has bounds, or a reason why not', async () => {
  const known = await byRoute(({ unbounded }) => unbounded);
  const isLoose = (schema: TSchema) => schema['pattern'] === undefined && beyondBounds(schema) === undefined;
  const isSized = ({ type }: TSchema) => ['string', 'array', 'integer', 'number', undefined].includes(type as string);
  const loose = routeAddresses(server)
    .filter(takesObject)
    .flatMap(({ route }) =>
      membersIn(route.body)
        .filter(([, schema]) => isSized(schema) && isLoose(schema))
        .map(([name]) => `${route.plugin}.${route.name}.${name}`),
    );
  assert.equal([...new Set(loose)].toSorted(), [...known.keys()].toSorted());
});
