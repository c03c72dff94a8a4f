/** Checks every route of every plugin: what its plugin says of it, methods and replies. `routes-refusals.test.ts` checks who is refused. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { TestServer } from '../support/hostkeep.ts';
import { byRoute, pluginRows, startSurroundings } from '../support/plugin-rows.ts';
import { rawRequest } from '../support/raw.ts';
import { nameOf, routeAddresses, type RouteAddress } from '../support/route-addresses.ts';
import type { TSchema } from '../../kernel/schema.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { testSuite } from '../support/suite.ts';
import { walk } from '../support/walk.ts';
import { watchWire } from '../support/wire.ts';
import { assertNone, pick } from '../support/lists.ts';

const test = testSuite('every route');
let server: TestServer;
let surroundings: Awaited<ReturnType<typeof startSurroundings>>;
let admin: string;
test.before(async () => {
  surroundings = await startSurroundings();
  server = await TestServer.start({ config: surroundings.config });
  admin = (await server.admin()).token;
});
test.after(async () => {
  await server.close();
  await surroundings.close();
});

test('every plugin with routes has rows, and no row is of a route that is gone', async () => {
  const routes = server.hostkeep.node.routes();
  const withRoutes = new Set(routes.map(({ plugin }) => plugin));
  const rows = await pluginRows();
  assertNone([...withRoutes], (plugin) => rows.get(plugin)?.answered === undefined);
  const names = new Set(routes.flatMap(({ plugin, name }) => [`${plugin}.${name}`, `${plugin}.${name}.2`]));
  const tables = await Promise.all([
    byRoute(({ answered }) => (typeof answered === 'string' ? undefined : answered)),
    byRoute(({ opened }) => (typeof opened === 'string' ? undefined : opened)),
    byRoute(({ bounded }) => bounded),
    byRoute(({ isolation }) => isolation?.unmarked),
    byRoute(({ isolation }) => Object.fromEntries((isolation?.tellingTaken ?? []).map((name) => [name, true]))),
    byRoute(({ homes }) => homes?.paths),
    byRoute(({ homes }) => Object.fromEntries((homes?.changing ?? []).map((name) => [name, true]))),
    byRoute(({ examples }) => examples?.invented),
  ]);
  for (const table of tables) assertNone([...table.keys()], (name) => !names.has(name));
});

test('every route says which node of a fleet answers it', async () => {
  const rows = await pluginRows();
  for (const { plugin, name, at = 'anywhere', params, query } of server.hostkeep.node.routes()) {
    const route = `${plugin}.${name}`;
    const answered = rows.get(plugin)?.answered;
    assert.is(typeof answered === 'object' ? answered[name] : answered, at, route);
    if (at === 'named') assert.ok(params?.properties['username'], route);
    if (at === 'node') assert.ok(query?.properties['node'] && query.required?.includes('node') !== true, route);
  }
});

// threat fail-open: what opens a route is said a second time, so that it does not change unnoticed
test('every route is opened by what the rows of its plugin say', async () => {
  const rows = await pluginRows();
  for (const { plugin, name, address, access, features, requiredFeatures } of server.hostkeep.node.routes()) {
    const opened = rows.get(plugin)?.opened;
    const said = typeof opened === 'object' ? opened[name] : opened;
    const needed = access === 'feature' ? [features.join(' or '), ...requiredFeatures].join(' and ') : access;
    assert.is(needed, address === 'user' || said === 'guest' ? said : 'admin', `${plugin}.${name} on ${address}`);
  }
});

/** Whether a value may hold a list, or a record, whose length the schema does not limit. */
function hasLongList(schema: TSchema): boolean {
  const { type, items, maxItems, properties, patternProperties, anyOf } = schema as Readonly<Record<string, unknown>>;
  if (patternProperties !== undefined || (type === 'array' && maxItems === undefined)) return true;
  return [...Object.values(properties ?? {}), ...[anyOf ?? []].flat(), ...[items ?? []].flat()].some((each) =>
    hasLongList(each as TSchema),
  );
}

const isPage = (limit: TSchema | undefined) => limit?.['minimum'] === 1 && Number(limit['maximum']) <= 1000;

// threat oversized-replies: every list is paged, or bounded for a reason that its plugin's row gives
test('every list of a reply is in pages of a thousand at most, or bounded', async () => {
  const known = [...(await byRoute(({ bounded }) => bounded)).keys()];
  const unpaged = server.hostkeep.node
    .routes()
    .filter(({ reply, query }) => hasLongList(reply) && !isPage(query?.properties['limit']))
    .map(({ plugin, name }) => `${plugin}.${name}`);
  assert.equal([...new Set(unpaged)].toSorted(), known.toSorted());
});

test('a feature promises a change only if one of its routes changes something', () => {
  const { node, core } = server.hostkeep;
  const owned = new Set(node.plugins().flatMap(({ features }) => features));
  const changing = new Set(
    node.routes().flatMap(({ method, features, address }) => (method === 'GET' || address === 'admin' ? [] : features)),
  );
  const promises = core.locales
    .features('en')
    .filter(({ name }) => owned.has(name) && !changing.has(name))
    .filter(({ description }) => /\b(create|manage|upload|edit|install|add|remove|change)\b/i.test(description));
  assert.equal(pick(promises, 'name'), []);
});

test('shipped plans contain only features that a plugin provides', () => {
  const plans = JSON.parse(readFileSync(join(projectDir, 'config/plans.json'), 'utf8')) as Record<
    string,
    { features: string[] }
  >;
  const ready = server.hostkeep.node.plugins().filter(({ state }) => state === 'ready' || state === 'degraded');
  const provided = new Set(ready.flatMap((plugin) => plugin.features));
  for (const [name, { features }] of Object.entries(plans))
    assertNone(features, (feature) => !provided.has(feature), name);
  assert.equal(Object.keys(plans), ['basic', 'standard', 'developer']);
});

// threat filtered-post-only: undeclared methods return 405
// asvs 13.4.4: TRACE and every other undeclared method returns 405
test('undeclared methods return 405 with the allowed ones', async () => {
  const byPath = new Map<string, RouteAddress[]>();
  for (const each of routeAddresses(server))
    byPath.set(`${each.address} ${each.path}`, [...(byPath.get(`${each.address} ${each.path}`) ?? []), each]);
  for (const [key, list] of byPath) {
    const declared = new Set(list.flatMap(({ route }) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method])));
    const { address, path } = list[0] as RouteAddress;
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
      if (declared.has(method)) continue;
      const head = await rawRequest(
        server.hostkeep.url(address),
        `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
        (text) => text.includes('\r\n\r\n'),
      );
      assert.match(head, /^HTTP\/1.1 405 /, `${method} ${key}`);
      assert.match(head, new RegExp(`Allow: ${[...declared].toSorted().join(', ')}\r\n`, 'i'), `${method} ${key}`);
    }
  }
});

test('a trailing slash is 404 on every route, except after a path', async () => {
  const { token: user } = await server.user('slash');
  const routes = routeAddresses(server);
  // a path may end with a slash, and may be empty
  const beforePaths = routes.flatMap(({ route }) => route.paths.map((one) => one.replace(/\*\w+$/, '*')));
  for (const each of routes) {
    const { route, address, path } = each;
    if (route.paths.some((one) => one.includes('*')) || beforePaths.includes(`${path}/*`)) continue;
    const { status, body } = await server.ask(`${path}/`, {
      method: route.method,
      address,
      token: address === 'user' ? user : admin,
    });
    assert.equal([status, body['error']], [404, 'not_found'], nameOf(each));
  }
});

// asvs 4.1.1: every reply has a content type, with a charset for text
// asvs 15.3.1: every route's reply matches its schema
test('every reply matches its schema, is sent as bytes, and unchanged ones are 304', async () => {
  const wire = await watchWire();
  for await (const { name, route, answer, ask } of walk(server, (plugin, error) =>
    assert.is(plugin, 'containers', `only its content needs a program, busybox: ${String(error)}`),
  )) {
    assert.is(answer.status, route.status ?? 200, `${name}: ${JSON.stringify(answer.body)}`);
    if (route.method !== 'GET' || route.headers?.includes('if-none-match') !== true || name === 'screenshots.show')
      continue; // remote pictures
    let etag = answer.headers.get('etag');
    for (let again = answer; again.status !== 304; etag = again.headers.get('etag')) {
      assert.match(etag ?? '', /^"[\w-]{22}(-br|-gzip)?"$/, name);
      again = await ask({ 'if-none-match': etag ?? '' });
      if (again.status === 304) assert.equal([again.body, again.headers.get('etag')], ['', etag], name);
      else assert.is.not(again.headers.get('etag'), etag, `${name} has not changed`); // what is sampled may have
    }
  }
  wire.close();
  assert.ok(wire.bytes() > 0);
  assert.equal(wire.strings, [], 'beyond ASCII, handed over as strings, see utf8.test');
});

test('every route has a summary', () => {
  for (const { route } of routeAddresses(server))
    assert.match(route.summary, /^[A-Z][^]{4,160}[^.]$/, `${route.plugin}.${route.name}`);
});
