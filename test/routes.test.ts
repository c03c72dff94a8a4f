/** Walks the whole route table, whatever plugins there are: one gate before every method of every route. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { RouteInfo } from '../kernel/plugin-api/node-info.ts';
import type { Address } from '../kernel/plugin-api/route-spec.ts';
import { TestServer } from './support/hostkeep.ts';
import { rawRequest } from './support/raw.ts';
import { projectDir } from '../kernel/system/project-dir.ts';
import { testSuite } from './support/suite.ts';
import { walk } from './support/walk.ts';

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
  const routes = server.hostkeep.node.routes();
  return routes.flatMap((route) =>
    route.paths.map((path) => ({ route, address: route.address, path: path.replace(/[:*]\w+/g, 'x') })),
  );
}

test('shipped plans hold only features that a plugin provides', () => {
  const plans = JSON.parse(readFileSync(join(projectDir, 'config/plans.json'), 'utf8')) as Record<
    string,
    { features: string[] }
  >;
  const provided = server.hostkeep.node.features();
  for (const [name, { features }] of Object.entries(plans))
    assert.equal(
      features.filter((feature) => !provided.has(feature)),
      [],
      name,
    );
  assert.equal(Object.keys(plans), ['basic', 'standard', 'developer']);
});

const nameOf = ({ route, address }: Door) => `${route.plugin}.${route.name} on ${address}`;

test('without a token, or with one of the other address, there is 401 before anything else', async () => {
  for (const door of doors()) {
    const { route, address, path } = door;
    if (route.access === 'guest') continue;
    const wrong = address === 'user' ? admin : nobody;
    for (const token of [undefined, 'x.y.z', wrong]) {
      const { status, headers, body } = await server.ask(path, {
        method: route.method,
        address,
        ...(token === undefined ? {} : { token }),
        ...(route.body === undefined ? {} : { body: '{' }),
      });
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
    const { status, body } = await server.ask(path, {
      method: route.method,
      token: nobody,
      ...(route.body === undefined ? {} : { body: '{' }),
    });
    assert.is(status, 403, nameOf(door));
    assert.is(body['error'], 'feature_disabled', nameOf(door));
    assert.ok(route.features.includes(String(body['feature'])), nameOf(door));
  }
});

test('methods that a path does not declare get 405 and are told what it answers', async () => {
  const byPath = new Map<string, Door[]>();
  for (const door of doors())
    byPath.set(`${door.address} ${door.path}`, [...(byPath.get(`${door.address} ${door.path}`) ?? []), door]);
  for (const [key, list] of byPath) {
    const declared = new Set(list.flatMap(({ route }) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method])));
    const { address, path } = list[0] as Door;
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

/** What these answer from is not on every machine; their own suites start it. Here they may say 503. */
const OUTSIDE: ReadonlySet<string> = new Set(['containers']);

test('every route gives a real reply that its schema describes', async () => {
  for await (const { name, route, answer } of walk(server, (plugin, error) =>
    assert.ok(OUTSIDE.has(plugin), `${plugin}: ${String(error)}`),
  )) {
    if (OUTSIDE.has(route.plugin) && answer.status === 503) continue;
    assert.is(answer.status, route.status ?? 200, `${name}: ${JSON.stringify(answer.body)}`);
  }
});

test('a route says what it is for', () => {
  for (const { route } of doors())
    assert.match(route.summary, /^[A-Z][^]{4,160}[^.]$/, `${route.plugin}.${route.name}`);
});
