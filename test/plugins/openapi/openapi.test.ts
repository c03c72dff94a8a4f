import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import * as assert from '../../support/assert.ts';
import { isBytes } from '../../../kernel/contract/incoming-body.ts';
import { projectDir } from '../../../kernel/kit/files/project-dir.ts';
import { errorKind } from '../../../kernel/errors.ts';
import { Validator as SchemaValidator } from '../../../kernel/config/validator.ts';
import { NamedObject, Type, type TSchema } from '../../../kernel/schema.ts';
import { replySchema } from '../../../plugins/openapi/json-schema.ts';
import { NamedSchemas } from '../../../plugins/openapi/named-schemas.ts';
import type { Address } from '../../../kernel/contract/route-spec.ts';
import { differences, type Described, type Operation } from '../../fixtures/openapi/shapes.ts';
import { PASSWORD, TestServer, type Answer } from '../../support/hostkeep.ts';
import { resolved, unnamedObjects } from '../../support/description.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';
import { WebhookSink } from '../../support/webhook-sink.ts';
import { assertNone } from '../../support/lists.ts';

interface Document {
  readonly openapi: string;
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

const test = testSuite('openapi');
let server: TestServer;
let sink: WebhookSink;
let tokens: { full: string; basic: string; admin: string };
test.before(async () => {
  sink = await WebhookSink.open();
  server = await TestServer.start({ config: { usage: { access: 'feature' }, webhooks: sink.settings } });
  tokens = {
    full: (await server.user('full')).token,
    basic: (await server.user('basic', 'basic')).token,
    admin: (await server.admin()).token,
  };
});

const ask = (address: Address, token?: string): Promise<Answer<Document>> =>
  server.ask<Document>('/openapi.json', { address, ...(token === undefined ? {} : { token }) });
const document = async (address: Address, token?: string) => (await ask(address, token)).body;
const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
const routesOf = (address: Address) =>
  server.hostkeep.node.routes().filter((route) => route.address === address && route.described !== false);
const idsOf = (given: Document) => operationsOf(given).map(({ operation }) => operation.operationId);
const CALLERS: readonly (readonly [Address, keyof typeof tokens | undefined])[] = [
  ['user', undefined],
  ['user', 'basic'],
  ['user', 'full'],
  ['admin', undefined],
  ['admin', 'basic'],
  ['admin', 'full'],
  ['admin', 'admin'],
];
const tokenOf = (caller: keyof typeof tokens | undefined) => (caller === undefined ? undefined : tokens[caller]);

test('a token that is not valid on the address is refused', async () => {
  for (const [address, token] of [
    ['user', 'x.y.z'],
    ['user', tokens.admin],
    ['admin', 'x'],
  ] as const) {
    const { status, headers } = await ask(address, token);
    assert.is(status, 401);
    assert.is(headers.get('www-authenticate'), 'Bearer');
  }
});

test('the whole description is short over the wire', async () => {
  const { token } = await server.admin('wired');
  for (const coding of ['br', 'gzip']) {
    const { status, headers } = await server.ask('/openapi.json', {
      address: 'admin',
      token,
      headers: { 'accept-encoding': coding },
    });
    assert.equal([status, headers.get('content-encoding')], [200, coding]);
    assert.ok(Number(headers.get('content-length')) <= 60 * 1024, headers.get('content-length') ?? '');
  }
});

// asvs 13.4.2, 13.4.3, 13.4.5: without a token /openapi.json shows the public operations only
test('without a token only the routes for guests are described', async () => {
  for (const address of ['user', 'admin'] as const) {
    const guest = new Set(
      routesOf(address)
        .filter(({ access }) => access === 'guest')
        .flatMap(({ plugin, name, paths }) =>
          paths.map((_, nth) => (nth === 0 ? `${plugin}.${name}` : `${plugin}.${name}.${nth + 1}`)),
        ),
    );
    assert.equal(new Set(idsOf(await document(address))), guest);
  }
});

test('with every feature each route is described under each of its paths', async () => {
  for (const [address, token] of [
    ['user', tokens.full],
    ['admin', tokens.admin],
  ] as const) {
    const given = await document(address, token);
    const expected = routesOf(address)
      .filter(({ access }) => address === 'admin' || access !== 'admin')
      .flatMap(({ method, paths }) => paths.map((path) => `${method} ${path.replace(/[:*](\w+)/g, '{$1}')}`));
    assert.equal(
      operationsOf(given)
        .map(({ method, path }) => `${method} ${path}`)
        .toSorted(),
      expected.toSorted(),
    );
    assert.is(new Set(idsOf(given)).size, expected.length, 'operationIds are unique');
    assert.equal(given.servers, [{ url: server.hostkeep.url(address) }]);
  }
});

// asvs 8.1.1, 8.3.1: the described operations are the ones that the server allows
test('the gate refuses exactly the routes that are left out', async () => {
  for (const [address, caller] of CALLERS) {
    const token = tokenOf(caller);
    const described = new Set(
      operationsOf(await document(address, token)).map(({ method, path }) => `${method} ${path}`),
    );
    for (const {
      method,
      paths: [path = ''],
      plugin,
      name,
      access,
      body,
    } of routesOf(address)) {
      const isDescribed = described.has(`${method} ${path.replace(/[:*](\w+)/g, '{$1}')}`);
      if (access === 'guest' || (isDescribed && (method !== 'GET' || /stream/i.test(name)))) continue;
      const answer = await server.ask(path.replace(/[:*]\w+/g, 'x'), {
        method,
        address,
        ...(token === undefined ? {} : { token }),
        ...(body && { body: '{' }),
      });
      const isRefused = ['authentication_required', 'feature_disabled', 'admin_required'].includes(
        String(answer.body['error']),
      );
      assert.is(isRefused, !isDescribed, `${caller ?? 'nobody'} on ${address}: ${plugin}.${name}`);
    }
  }
});

test('a maintained validator accepts the description of every caller', async () => {
  for (const [address, caller] of CALLERS) {
    const given = await document(address, tokenOf(caller));
    const { valid, errors } = await new Validator().validate(
      structuredClone(given) as unknown as Record<string, unknown>,
    );
    assert.ok(valid, JSON.stringify(errors));
    assert.is(given.openapi, '3.1.1');
    assert.not.match(JSON.stringify(given), /"additionalItems"|"items":\[/, 'keywords of an older JSON Schema');
  }
});

// asvs 2.1.1: /openapi.json documents input, errors and features
// asvs 8.1.1, 8.1.2: /openapi.json names the features of every route
test('an operation names its errors, its input, its feature and its security', async () => {
  const { paths } = await document('user', tokens.full);
  const add = paths['/api/domains/new']?.['post'] as Operation & Record<string, unknown>;
  assert.equal(Object.keys(add.responses), [
    '201',
    '400',
    '401',
    '403',
    '409',
    '413',
    '415',
    '422',
    '500',
    '502',
    '503',
    '507',
  ]);
  assert.match(add.responses['409']?.description ?? '', /`domain_exists`.*`domain_limit_reached`/);
  assert.equal(add['x-hostkeep-feature'], ['domains']);
  assert.equal(add.security, [{ bearer: [] }]);
  assert.equal(add.tags, ['domains']);
  assert.equal(paths['/api/login']?.['post']?.security, []);
  assert.equal(paths['/openapi.json']?.['get']?.security, [{}, { bearer: [] }]);
  const activity = paths['/api/account/activity']?.['get']?.parameters?.map(({ name, required }) => [name, required]);
  assert.equal(activity, [
    ['page', false],
    ['search', false],
    ['show_all', false],
  ]);
  const keyOf = (path: string) => paths[path]?.['post']?.parameters?.map(({ name }) => name);
  assert.equal(keyOf('/api/domains/new'), ['idempotency-key']);
  assert.is(keyOf('/api/account/tokens'), undefined, 'which refuses it');
  const folder = paths['/api/folders/{path}']?.['get'];
  assert.equal(
    folder?.parameters?.map(({ name, in: where, required }) => [name, where, required]),
    [['path', 'path', true]],
  );
});

// The page's own files, and the places in it, are no part of the API.
test('only what serves our own pages is left out', () => {
  const left = server.hostkeep.node
    .routes()
    .filter(({ described, name }) => described === false && !name.startsWith('short ')); // which lead to our pages
  assert.equal([...new Set(left.flatMap(({ paths }) => paths))].toSorted(), [
    '/',
    '/assets/*name',
    '/console',
    '/console/*page',
    '/docs',
    '/home',
    '/home/*page',
  ]);
});

test('every operation and every tag has a text, and aliases are deprecated', async () => {
  for (const [address, token] of [
    ['user', tokens.full],
    ['admin', tokens.admin],
  ] as const) {
    const given = await document(address, token);
    for (const { method, path, operation } of operationsOf(given)) {
      assert.match(operation.description ?? '', /^.{10,}\.$/s, `${method} ${path} needs a description in sentences`);
      const isOld = /\.\d+$|^(accounts|plans)\.put(Account|Plan)$/.test(operation.operationId);
      assert.is(operation.deprecated, isOld ? true : undefined, `${method} ${path}`);
    }
    for (const { name, description } of given.tags)
      assert.match(description ?? '', /^.{10,}\.$/s, `the plugin ${name} needs a description`);
  }
  const { paths } = await document('admin', tokens.admin);
  assert.is(paths['/api/usage/disk']?.['get']?.deprecated, undefined);
  assert.is(paths['/api/usage/server']?.['get']?.deprecated, true);
});

test('every error of a route is described with its status', async () => {
  for (const [address, token] of [
    ['user', tokens.full],
    ['admin', tokens.admin],
  ] as const) {
    const operations = new Map(
      operationsOf(await document(address, token)).map(({ operation }) => [operation.operationId, operation]),
    );
    for (const { plugin, name, errors = [] } of routesOf(address)) {
      for (const code of errors)
        assert.match(
          operations.get(`${plugin}.${name}`)?.responses[String(errorKind(code)[0])]?.description ?? '',
          `\`${code}\``,
          `${plugin}.${name}`,
        );
    }
  }
});

test('a JSON reply is described beside the problems of its status', async () => {
  for (const [address, token] of [
    ['user', tokens.full],
    ['admin', tokens.admin],
  ] as const) {
    const { paths } = await document(address, token);
    const refusal = paths['/api/login']?.['post']?.responses['401'];
    assert.match(refusal?.description ?? '', /^The password is correct.*`invalid_credentials`/);
    assert.equal(Object.keys(refusal?.content ?? {}), ['application/json', 'application/problem+json']);
  }
});

test('what sends a range that is asked for is described with it', async () => {
  const { paths } = await document('user', tokens.full);
  assert.ok(paths['/api/login']);
  for (const {
    paths: [path = ''],
  } of routesOf('user').filter(({ headers }) => headers?.includes('range'))) {
    const described = paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.['get']?.responses['206'];
    assert.equal(described?.content, { 'application/octet-stream': { schema: {} } }, path);
  }
});

test('every object has a name, which is the same wherever the object is', async () => {
  for (const [address, token] of [
    ['user', tokens.full],
    ['admin', tokens.admin],
  ] as const) {
    const given = await document(address, token);
    assert.equal(unnamedObjects(given), []);
    const names = Object.keys(given.components.schemas);
    assert.equal(names, names.toSorted());
    for (const name of names) assert.match(name, /^([A-Z][a-z0-9]*)+$/);
  }
  const schemaOf = ({ content }: Operation['responses'][string] = { description: '' }) =>
    content?.['application/json']?.schema;
  const { paths } = await document('admin', tokens.admin);
  const [made, read] = [paths['/api/plans']?.['post'], paths['/api/plans/{name}']?.['get']];
  assert.equal(schemaOf(made?.responses['201']), { $ref: '#/components/schemas/Plan' });
  assert.equal(schemaOf(read?.responses['200']), { $ref: '#/components/schemas/Plan' });
});

test('two different schemas cannot have one name', () => {
  const named = new NamedSchemas();
  const note = (text: object) => replySchema(NamedObject('Note', { text } as never), named);
  assert.equal(note(Type.String()), { $ref: '#/components/schemas/Note' });
  assert.equal(note(Type.String()), { $ref: '#/components/schemas/Note' });
  assert.throws(() => note(Type.Integer()), 'two schemas are named Note');
});

test('an administrator sees what webhooks send for each event, and nobody else does', async () => {
  const types = Object.keys(server.hostkeep.node.events());
  const { webhooks = {} } = await document('admin', tokens.admin);
  assert.equal(Object.keys(webhooks).toSorted(), [...types, 'webhook.test'].toSorted());
  for (const type of ['login', 'account.created', 'plan.changed', 'domain.added', 'configuration.refused'])
    assert.ok(types.includes(type), type);
  const purged = resolved(await document('admin', tokens.admin)).webhooks?.['account.purged']?.['post'];
  const sent = purged?.requestBody?.content['application/json']?.schema as TSchema;
  const { account } = await server.user('sending');
  const { core } = server.hostkeep;
  const data = { account_id: account.id };
  await core.store.write((tx) =>
    core.events.record(tx, { type: 'account.purged', account, ip: '192.0.2.1', text: 'was purged', data }),
  );
  const delivered = () => [...sink.events.values()].find(({ type }) => type === 'account.purged');
  await until('the event is delivered', () => delivered() !== undefined);
  const body = delivered();
  assert.equal(new SchemaValidator(sent).issues(body), []);
  assert.equal(
    new SchemaValidator(sent).issues({ ...(body as object), type: 'account.removed' }).map(({ path }) => path),
    ['/type'],
  );
  for (const [address, caller] of CALLERS.filter(([, each]) => each !== 'admin'))
    assert.is((await document(address, tokenOf(caller))).webhooks, undefined);
});

test('links lead from a new domain to the list and to its removal', async () => {
  const { paths } = await document('user', tokens.full);
  const made = paths['/api/domains/new']?.['post']?.responses['201']?.links as Record<string, Record<string, unknown>>;
  assert.is(made['list']?.['operationId'], 'domains.list');
  assert.equal(
    [made['remove']?.['operationId'], made['remove']?.['requestBody']],
    ['domains.remove', { domain_url: '$response.body#/domain_url' }],
  );
  const listed = paths['/api/domains']?.['get']?.responses['200']?.links as Record<string, Record<string, unknown>>;
  assert.equal(Object.keys(listed), ['remove']);
  assert.equal(listed['remove']?.['requestBody'], { domain_url: '$response.body#/domains/0/domain_url' });
});

test("it follows changes of an account's features at once", async () => {
  const { account, token } = await server.user('changing', 'basic');
  const has = async () => '/api/docker_stats' in (await document('user', token)).paths;
  assert.not.ok(await has());
  await server.hostkeep.core.accounts.setFeature(account.username, 'docker', true);
  assert.ok(await has());
});

test('examples match the routes and reveal nothing about their machine', async () => {
  const text = readFileSync(join(projectDir, 'plugins/openapi/examples.json'), 'utf8');
  const examples = JSON.parse(text) as Record<string, { request?: unknown; reply?: unknown }>;
  const routes = server.hostkeep.node.routes();
  for (const { plugin, name, body, reply, produces } of routes) {
    const example = examples[`${plugin}.${name}`];
    if (body !== undefined && !isBytes(body))
      assert.equal(new SchemaValidator(body).issues(example?.request), [], `${plugin}.${name}`);
    if (produces === undefined)
      assert.equal(new SchemaValidator(reply).issues(example?.reply), [], `${plugin}.${name}`);
  }
  assertNone(Object.keys(examples), (each) => !routes.some(({ plugin, name }) => each === `${plugin}.${name}`));
  assert.not.match(text, /eyJ[\w.-]{40}|127\.0\.0\.1|\/tmp\//);
  const { paths } = await document('user', tokens.full);
  assert.equal(
    paths['/api/dashboard']?.['get']?.responses['200']?.content?.['application/json']?.example,
    examples['dashboard.show']?.reply,
  );
  assert.equal(paths['/api/login']?.['post']?.requestBody?.content['application/json']?.example, {
    username: 'demo',
    password: PASSWORD,
  });
});

const golden = JSON.parse(
  readFileSync(join(projectDir, 'test/fixtures/openapi/service-shapes.json'), 'utf8'),
) as Record<Address, Record<string, Described>>;

test('the shapes of requests and replies are those of the specification', async () => {
  for (const [address, token] of [
    ['user', tokens.full],
    ['admin', tokens.admin],
  ] as const) {
    const operations = new Map(
      operationsOf(resolved(await document(address, token))).map(({ method, path, operation }) => [
        `${method} ${path}`,
        operation,
      ]),
    );
    for (const [name, described] of Object.entries(golden[address])) {
      const operation = operations.get(name);
      assert.equal(operation === undefined ? ['is missing'] : differences(operation, described), [], name);
    }
  }
});

test('a member that is removed, changes its type, or becomes required is noticed', async () => {
  const { paths } = resolved(await document('user', tokens.full));
  const plan = paths['/system/hosting/plan']?.['get'] as Operation;
  const text = JSON.stringify(plan);
  const shape = golden.user['GET /system/hosting/plan'] as Described;
  assert.equal(differences(JSON.parse(text.replaceAll('plan_cpu_limit', 'cpu')) as Operation, shape), [
    'reply.plan_cpu_limit may be missing',
    'reply.plan_cpu_limit is missing',
  ]);
  assert.equal(differences(JSON.parse(text.replaceAll('integer', 'string')) as Operation, shape).length, 7);
  const { body: _, ...login } = golden.user['POST /api/login'] as Described;
  assert.equal(differences(paths['/api/login']?.['post'] as Operation, { ...login, body: { username: 'string' } }), [
    'body.password is required',
  ]);
});
