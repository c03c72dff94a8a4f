/** Settings that administrators change in the console: what is refused, and what holds, in this process and after a restart. */
import * as assert from '../../support/assert.ts';
import { definePlugin } from '../../../kernel/contract/plugin.ts';
import { Unavailable } from '../../../kernel/errors.ts';
import { Type } from '../../../kernel/schema.ts';
import settings from '../../../plugins/settings/index.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testConfig, TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';

const test = testSuite('settings of the console');

/** Starts only with some of the values that its schema takes, and answers what it has. */
const probe = definePlugin({
  name: 'probe',
  features: [],
  config: Type.Object({
    word: Type.String({ default: 'first', maxLength: 20, description: 'What the probe says' }),
    count: Type.Integer({ default: 3, minimum: 1, maximum: 9 }),
    list: Type.Array(Type.String({ minLength: 1 }), { default: [], maxItems: 3 }),
    key: Type.String({ default: '', writeOnly: true }),
    keys: Type.Array(Type.Object({ key: Type.String({ writeOnly: true }) }), { default: [] }),
    parts: Type.Record(Type.String(), Type.Object({ size: Type.Integer({ default: 1 }) }), { default: {} }),
    limit: Type.Optional(Type.Integer({ minimum: 1 })),
  }),
  routes: {
    show: { method: 'GET', access: 'user', path: '/api/probe', summary: 'Show the settings', reply: Type.Unknown() },
    wait: {
      method: 'GET',
      access: 'user',
      path: '/api/probe/later',
      summary: 'Show the settings later',
      reply: Type.Unknown(),
    },
  },
  setup: ({ config }) => {
    if (config.word === 'broken') throw new Unavailable('there is no such word');
    const wait = () =>
      new Promise((resolve) => {
        answer = () => resolve(config);
      });
    return { handlers: { show: () => config, wait } };
  },
});
/** Answers the request that waits. */
let answer: (() => void) | undefined;

interface Listed {
  readonly setting: string;
  readonly value: unknown;
  readonly origin: string;
  readonly editable: boolean;
  readonly bond: string | null;
  readonly stored: boolean;
  readonly changed_by: string | null;
  readonly etag: string;
}
interface Refusal {
  readonly error: string;
  readonly detail: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

/** Has the session prove its password again. */
async function prove({ hostkeep: { core } }: TestServer, token: string): Promise<void> {
  const resolved = await core.sessions.resolve(`Bearer ${token}`);
  if (resolved !== undefined) await core.store.write((tx) => core.reauthentication.note(tx, resolved.session));
}

class Console {
  readonly server: TestServer;
  readonly #token: string;
  #user = '';

  private constructor(server: TestServer, token: string) {
    this.server = server;
    this.#token = token;
  }

  static async open(editable: readonly string[], config: object = {}, data?: string): Promise<Console> {
    const server = await TestServer.start({
      plugins: [settings, probe],
      config: { settings: { editable }, ...config },
      ...(data !== undefined && { data }),
    });
    const { accounts } = server.hostkeep.core;
    const root = data === undefined || (await accounts.count('admin')) === 0 ? undefined : await accounts.get('root');
    const { token } = root === undefined ? await server.admin() : { token: await server.token(root) };
    await prove(server, token);
    return new Console(server, token);
  }

  ask<T = Record<string, unknown>>(method: string, path: string, body?: unknown, etag?: string) {
    const headers = etag === undefined ? {} : { 'if-match': etag };
    return this.server.ask<T>(path, { address: 'admin', token: this.#token, method, body, headers });
  }

  set(setting: string, value: unknown, etag?: string) {
    return this.ask<Refusal & { readonly etag: string }>('PUT', `/api/settings/${setting}`, { value }, etag);
  }

  reset(setting: string, etag?: string) {
    return this.ask<Refusal & { readonly etag: string }>('DELETE', `/api/settings/${setting}`, undefined, etag);
  }

  async refused(setting: string, value: unknown, etag?: string): Promise<string> {
    const { status, body } = await this.set(setting, value, etag);
    return `${status} ${body.error}`;
  }

  async list(): Promise<ReadonlyMap<string, Listed>> {
    const { body } = await this.ask<{ settings: readonly Listed[] }>('GET', '/api/settings');
    return new Map(body.settings.map((each) => [each.setting, each]));
  }

  /** The settings that a customer's next request meets. */
  async inForce(): Promise<Record<string, unknown>> {
    if (this.#user === '') this.#user = (await this.server.user(`ann${Date.now() % 100_000}`)).token;
    return (await this.server.ask('/api/probe', { token: this.#user })).body;
  }

  async events(): Promise<readonly (readonly [type: string, line: string])[]> {
    const all = await this.server.hostkeep.core.events.after(0, 500);
    return all.filter(({ type }) => type.startsWith('setting.')).map(({ type, line }) => [type, line]);
  }
}

test('nothing can be changed where the configuration names nothing', async () => {
  const console = await Console.open([]);
  for (const setting of ['probe.word', 'token.ttl_seconds', 'settings.editable'])
    assert.is(await console.refused(setting, 'x'), '409 setting_not_editable', setting);
  assert.is((await console.reset('probe.word')).status, 409);
  const all = [...(await console.list()).values()];
  assert.ok(all.length > 20 && all.every(({ editable, bond }) => !editable && bond !== null));
});

test('a session proves its password again before it changes anything', async () => {
  const console = await Console.open(['probe.*']);
  const { account, token } = await console.server.admin('other');
  const change = { address: 'admin', method: 'PUT', body: { value: 'x' } } as const;
  const { status, body } = await console.server.ask('/api/settings/probe.word', { ...change, token });
  assert.equal([status, body['error']], [403, 'reauthentication_required']);
  const { tokens } = console.server.hostkeep.core;
  const made = (scope: string) =>
    tokens.make(account, { name: scope, scopes: [scope], expiresAt: Date.now() + 3_600_000, networks: [] }, '');
  const { token: reading } = await made('settings:read');
  assert.is((await console.server.ask('/api/settings/probe.word', { ...change, token: reading })).status, 403);
  const { token: writing } = await made('settings:write');
  assert.is((await console.server.ask('/api/settings/probe.word', { ...change, token: writing })).status, 200);
  assert.is((await console.inForce())['word'], 'x');
});

test('secrets, and what only files may set, stay closed to every pattern', async () => {
  const console = await Console.open(['*']);
  const list = await console.list();
  for (const [setting, bond] of [
    ['probe.key', 'secret'],
    ['probe.keys', 'secret'],
    ['proxy_secret', 'secret'],
    ['store.password', 'secret'],
    ['data', 'restart'],
    ['listen', 'restart'],
    ['tls.hsts_seconds', 'restart'],
    ['jobs.processes', 'restart'],
    ['include', 'structure'],
    ['probe.parts', 'structure'],
    ['settings.editable', 'structure'],
  ] as const) {
    assert.equal([list.get(setting)?.bond, list.get(setting)?.editable], [bond, false], setting);
    assert.is(await console.refused(setting, list.get(setting)?.value), '409 setting_not_editable', setting);
  }
  for (const setting of [
    'probe',
    'probe.unknown',
    'probe.key_file',
    'token',
    'plugins.probe',
    '__proto__.x',
    'token.ttl_seconds.x',
  ])
    assert.is(await console.refused(setting, true), '404 setting_not_found', setting);
  assert.equal(await console.events(), []);
});

test('values that do not fit are refused, with the reason', async () => {
  const console = await Console.open(['probe.*', 'token.*', 'cors_origins']);
  for (const [setting, value, path, message] of [
    ['probe.count', 'three', '/value', /whole number/],
    ['probe.count', 10, '/value', /at most 9/],
    ['probe.count', 2.5, '/value', /whole number/],
    ['probe.count', null, '/value', /whole number/],
    ['probe.word', 'x'.repeat(21), '/value', /at most 20 characters/],
    ['probe.list', ['a', ''], '/value/1', /must not be empty/],
    ['probe.list', 'a', '/value', /a list/],
    ['token.ttl_seconds', 59, '/value', /at least 60/],
  ] as const) {
    const { status, body } = await console.set(setting, value);
    assert.equal([status, body.errors?.map((each) => each.path)], [400, [path]], `${setting} ${String(value)}`);
    assert.match(body.errors?.[0]?.message ?? '', message);
  }
  assert.is((await console.ask('PUT', '/api/settings/probe.word', {})).status, 400);
  assert.is((await console.ask('PUT', '/api/settings/probe.word', { value: 'a', more: 1 })).status, 400);
  const origin = await console.set('cors_origins', ['https://a.example/']);
  assert.equal([origin.status, origin.body.error], [409, 'setting_refused']);
  assert.match(origin.body.detail, /cors_origins\.0 "https:\/\/a\.example\/" is not an origin as browsers send it/);
  const broken = await console.set('probe.word', 'broken');
  assert.equal(
    [broken.status, broken.body.error, broken.body.detail],
    [409, 'setting_refused', 'the plugin probe does not start: there is no such word'],
  );
  assert.equal(
    [...(await console.list()).values()].filter(({ stored }) => stored),
    [],
  );
  assert.equal([(await console.inForce())['word'], await console.events()], ['first', []]);
});

test('a change holds from the next request on, and after a restart', async () => {
  const data = temporaryFolder();
  const file = { probe: { word: 'of the file', count: 4 } };
  let console = await Console.open(['probe.*', 'token.ttl_seconds'], file, data);
  assert.equal((await console.list()).get('probe.word')?.origin, 'test');
  assert.is((await console.set('probe.word', 'of the console')).status, 200);
  assert.is((await console.inForce())['word'], 'of the console');
  assert.is((await console.set('probe.list', ['a', 'b'])).status, 200);
  assert.is((await console.set('probe.limit', 5)).status, 200);
  assert.is((await console.set('token.ttl_seconds', 7200)).status, 200);
  assert.is(console.server.hostkeep.core.sessions.ttlSeconds, 7200);
  const wanted = { word: 'of the console', count: 4, list: ['a', 'b'], limit: 5, key: '', keys: [], parts: {} };
  assert.equal(await console.inForce(), wanted);
  const { value, origin, stored, changed_by: by } = (await console.list()).get('probe.word') as Listed;
  assert.equal([value, origin, stored, by], ['of the console', 'console', true, 'root']);
  const again = await console.set('probe.word', 'of the console');
  assert.equal([again.status, again.body], [200, { setting: 'probe.word', changed: false, etag: '"1"' }]);
  await console.server.close();

  console = await Console.open(['probe.*', 'token.ttl_seconds'], file, data);
  assert.equal(await console.inForce(), wanted);
  assert.is(console.server.hostkeep.core.sessions.ttlSeconds, 7200);
  assert.is((await console.reset('probe.word')).status, 200);
  assert.equal((await console.inForce())['word'], 'of the file');
  const after = (await console.list()).get('probe.word');
  assert.equal([after?.origin, after?.stored, after?.changed_by], ['test', false, 'root']);
  assert.equal((await console.reset('probe.word')).body, { setting: 'probe.word', changed: false, etag: after?.etag });
  const told = await console.events();
  assert.equal(
    told.map(([type]) => type),
    [...Array.from({ length: 4 }, () => 'setting.changed'), 'setting.reset'],
  );
  assert.match(told[0]?.[1] ?? '', /User 'root' set probe\.word to "of the console" from IP/);
});

test('changes wait for no request that was accepted before', async () => {
  const console = await Console.open(['probe.word']);
  const { token } = await console.server.user('bea');
  const waiting = console.server.ask('/api/probe/later', { token });
  await until('it waits', () => answer !== undefined);
  for (const word of ['second', 'third']) assert.is((await console.set('probe.word', word)).status, 200);
  assert.is((await console.inForce())['word'], 'third');
  answer?.();
  assert.is((await waiting).body['word'], 'first');
});

test('a reload keeps what was changed as long as the files allow it', async () => {
  const console = await Console.open(['probe.*']);
  const { hostkeep } = console.server;
  await console.set('probe.word', 'kept');
  await console.set('probe.count', 9);
  const reload = (editable: readonly string[], own: object = {}) =>
    hostkeep.reconfigure(testConfig(console.server.data, { settings: { editable }, probe: own, ...addresses }));
  const { listen, admin_listen } = hostkeep.node.config;
  const addresses = { listen, admin_listen };
  await reload(['probe.*'], { word: 'of the file', list: ['x'] });
  const { word, count, list } = await console.inForce();
  assert.equal([word, count, list], ['kept', 9, ['x']]);
  await reload(['probe.count']);
  assert.equal([(await console.inForce())['word'], (await console.inForce())['count']], ['first', 9]);
  const kept = (await console.list()).get('probe.word');
  assert.equal([kept?.origin, kept?.stored, kept?.editable], ['test', true, false]);
  const [doctor] = (await hostkeep.plugins.gather('doctor')).filter(({ plugin }) => plugin === 'settings');
  assert.ok(doctor?.ok === true && doctor.value[0]?.isWarning === true && doctor.value[0].name === 'probe.word');
  await reload([]);
  assert.is((await console.inForce())['count'], 3);
  await reload(['probe.*']);
  assert.is((await console.inForce())['word'], 'kept');
});

test('a kept value that does not fit any more is left out at the start', async () => {
  const data = temporaryFolder();
  const console = await Console.open(['probe.*'], {}, data);
  await console.set('probe.word', 'kept');
  await console.set('probe.count', 5);
  const { store } = console.server.hostkeep.core;
  await store.write((tx) => tx.run(`update stored_settings set value = '50' where setting = 'probe.count'`));
  await console.server.close();
  const later = await Console.open(['probe.*'], {}, data);
  const { word, count } = await later.inForce();
  assert.equal([word, count], ['kept', 3]);
  const listed = (await later.list()).get('probe.count');
  assert.equal([listed?.origin, listed?.stored], ['test', true]);
  assert.is((await later.set('probe.word', 'next')).status, 200, 'it does not stand in the way of others');
  assert.is((await later.reset('probe.count')).status, 200);
  assert.is((await later.list()).get('probe.count')?.stored, false);
});

test('two administrators do not overwrite each other unseen', async () => {
  const console = await Console.open(['probe.*']);
  const etag = (await console.list()).get('probe.word')?.etag;
  const first = await console.set('probe.word', 'mine', etag);
  assert.is(first.status, 200);
  const second = await console.set('probe.word', 'yours', etag);
  assert.equal([second.status, second.body.error], [412, 'setting_changed']);
  assert.is(second.body.detail, 'root has changed probe.word meanwhile');
  assert.is((await console.reset('probe.word', etag)).status, 412);
  assert.is((await console.inForce())['word'], 'mine');
  assert.is((await console.set('probe.count', 4, etag)).status, 200, 'another setting');
  assert.is((await console.reset('probe.word', first.body.etag)).status, 200);
  const statuses = await Promise.all([console.set('probe.word', 'a'), console.set('probe.count', 7)]);
  for (const { status, body } of statuses) assert.ok(status === 200 || body.error === 'settings_busy', body.error);
  const { word, count } = await console.inForce();
  assert.equal([word, count], [statuses[0].status === 200 ? 'a' : 'first', statuses[1].status === 200 ? 7 : 4]);
});

test('a value that cannot be kept does not stay in force', async () => {
  const console = await Console.open(['probe.*']);
  await console.set('probe.word', 'before');
  const { events } = console.server.hostkeep.core;
  const { record } = events;
  events.record = () => Promise.reject(new Error('the log is full'));
  try {
    assert.is((await console.set('probe.word', 'after')).status, 500);
  } finally {
    events.record = record;
  }
  assert.is((await console.inForce())['word'], 'before');
  assert.is((await console.list()).get('probe.word')?.value, 'before');
});
