import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as assert from '../../support/assert.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { HttpError } from '../../../kernel/errors.ts';
import { definePlugin, type Plugin } from '../../../kernel/contract/plugin.ts';
import { PROCESS_ID } from '../../../kernel/kit/programs/process-id.ts';
import { Type } from '../../../kernel/schema.ts';
import domains from '../../../plugins/domains/index.ts';
import type { Domain, DomainDirectory } from '../../../kernel/areas/sites/domain-directory.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('domains and the world outside');
const running = new Set<TestServer>();
test.after.each(async () => {
  for (const server of running) await server.close();
  running.clear();
});

interface World {
  readonly told: string[];
  /** Names that it refuses to add, or to remove. */
  readonly refusing: Set<string>;
  readonly changes: number[];
  service?: DomainDirectory;
  /** Awaited before each answer. */
  hold?: Promise<void> | undefined;
}

/** A plugin that acts like a web server: it gets changes of domains, and refuses some. */
function outside(world: World): Plugin {
  return definePlugin({
    name: 'outside',
    features: [],
    uses: ['domains'],
    routes: {
      nothing: { method: 'GET', path: '/api/nothing', access: 'user', summary: 'Nothing', reply: Type.Object({}) },
    },
    setup(host) {
      const directory = host.peer<DomainDirectory>('domains');
      if (directory === undefined) throw new Error('domains is not there');
      world.service = directory;
      host.onClose(directory.onChange((id) => world.changes.push(id)));
      const tell =
        (what: string) =>
        async ({ name, docroot }: { name: string; docroot: string }) => {
          world.told.push(`${what} ${name} ${docroot}`);
          await world.hold;
          if (world.refusing.has(`${what} ${name}`)) throw new HttpError('webserver_failed', `no ${name} here`);
        };
      return {
        handlers: { nothing: () => ({}) },
        provides: { domainAdded: tell('add'), domainRemoved: tell('remove') },
      };
    },
  }) as unknown as Plugin;
}

const newWorld = (): World => ({ told: [], refusing: new Set(), changes: [] });
const plugins = (world: World) => [domains as unknown as Plugin, outside(world)];

async function start(world: World, data?: string) {
  const server = await TestServer.start({ plugins: plugins(world), ...(data === undefined ? {} : { data }) });
  running.add(server);
  const post = (path: string, token: string, name: string, more: object = {}) =>
    server.ask<{ error?: string; total?: number; detail?: string }>(path, {
      method: 'POST',
      token,
      body: { domain_url: name, ...more },
    });
  return {
    server,
    add: (token: string, name: string) => post('/api/domains/new', token, name),
    remove: (token: string, name: string) => post('/api/domains/delete', token, name),
    removeAll: (token: string, name: string) => post('/api/domains/delete', token, name, { with_subdomains: true }),
    mains: async (token: string) =>
      (await server.ask<{ maindomains: unknown[] }>('/api/docker_domains', { token })).body.maindomains.length,
    total: async (token: string) => (await server.ask<{ total: number }>('/api/domains', { token })).body.total,
  };
}

test('a domain that the world refuses is not added, and its name is free again', async () => {
  const world = newWorld();
  const { server, add, total } = await start(world);
  const { account, token } = await server.user('ann');
  world.refusing.add('add bad.example');
  const refused = await add(token, 'bad.example');
  assert.is(refused.status, 502);
  assert.is(refused.body.error, 'webserver_failed');
  assert.equal(world.told, [
    'add bad.example /var/www/html/bad.example',
    'remove bad.example /var/www/html/bad.example',
  ]);
  assert.is(await total(token), 0);
  assert.is((await server.hostkeep.core.events.page(account.id, 'domain', 0, 10)).total, 0);
  world.refusing.clear();
  assert.is((await add(token, 'bad.example')).status, 201);
  assert.is(await total(token), 1);
});

test('a domain whose account is removed while providers are called is not added', async () => {
  const world = newWorld();
  const { server, add } = await start(world);
  const { token } = await server.user('ann');
  const { promise, resolve } = withResolver();
  world.hold = promise;
  const adding = add(token, 'late.example');
  while (world.told.length === 0) await new Promise((done) => setImmediate(done));
  await server.hostkeep.core.accounts.remove('ann');
  resolve();
  assert.is((await adding).status, 401);
  const { events } = server.hostkeep.core;
  assert.is((await events.after((await events.lastId()) - 1, 1))[0]?.type, 'account.removed');
});

test('a domain that the world does not let go stays', async () => {
  const world = newWorld();
  const { server, add, remove, total } = await start(world);
  const { token } = await server.user('ann');
  await add(token, 'stays.example');
  world.refusing.add('remove stays.example');
  assert.is((await remove(token, 'stays.example')).status, 502);
  assert.is(await total(token), 1);
  assert.is(world.told.at(-1), 'add stays.example /var/www/html/stays.example');
  world.refusing.clear();
  assert.is((await remove(token, 'stays.example')).status, 200);
  assert.is(await total(token), 0);
});

test('domains deleted together are announced singly, and all stay on a refusal', async () => {
  const world = newWorld();
  const { server, add, removeAll, total } = await start(world);
  const { account, token } = await server.user('ann');
  const all = ['a.b.top.example', 'b.top.example', 'c.top.example', 'top.example'];
  for (const name of all.toReversed()) await add(token, name);
  const told = (what: string) => world.told.filter((line) => line.startsWith(what)).map((line) => line.split(' ')[1]);
  for (const stubborn of all) {
    world.refusing.add(`remove ${stubborn}`);
    world.told.length = 0;
    const refused = await removeAll(token, 'top.example');
    assert.is(refused.status, 502, stubborn);
    assert.is(refused.body.error, 'webserver_failed');
    assert.is(await total(token), 4);
    assert.equal(told('add').toSorted(), told('remove').toSorted(), 'what was taken down is put up again');
    world.refusing.clear();
  }
  assert.is((await server.hostkeep.core.events.page(account.id, 'removed', 0, 10)).total, 0);
  world.told.length = 0;
  assert.is((await removeAll(token, 'top.example')).status, 200);
  assert.equal(told('remove').toSorted(), all);
  assert.is(await total(token), 0);
});

// threat race-conditions: a change that the web server still works on counts fully
test('the limit holds while the world is asked, and when it refuses', async () => {
  const world = newWorld();
  const { server, add, remove, removeAll, total, mains } = await start(world);
  await server.hostkeep.core.plans.update('developer', { limits: { domains_limit: 2 } });
  const { token } = await server.user('ann');
  for (const name of ['a.new.example', 'b.new.example']) assert.is((await add(token, name)).status, 201);
  const { promise, resolve } = withResolver();
  world.hold = promise;
  world.told.length = 0;
  world.refusing.add('add new.example');
  const adding = add(token, 'new.example');
  while (world.told.length === 0) await new Promise((done) => setImmediate(done));
  world.hold = undefined;
  assert.is((await add(token, 'other.example')).body.error, 'domain_limit_reached', 'new.example may be refused');
  assert.is((await add(token, 'c.new.example')).body.error, 'domain_limit_reached');
  resolve();
  assert.is((await adding).status, 502);
  assert.is(await mains(token), 2);
  world.refusing.clear();
  assert.is((await add(token, 'new.example')).status, 201, 'takes the place of both');
  assert.is((await add(token, 'other.example')).status, 201);

  const again = withResolver();
  world.hold = again.promise;
  world.told.length = 0;
  world.refusing.add('remove b.new.example');
  const removing = removeAll(token, 'new.example');
  while (world.told.length === 0) await new Promise((done) => setImmediate(done));
  world.hold = undefined;
  assert.is((await add(token, 'c.new.example')).body.error, 'domain_limit_reached', 'it would be a main domain');
  assert.is((await remove(token, 'new.example')).status, 404);
  again.resolve();
  assert.is((await removing).status, 502);
  assert.is(await total(token), 4);
  assert.is((await add(token, 'c.new.example')).status, 201);
  assert.is(await mains(token), 2);

  const last = withResolver();
  world.refusing.clear();
  world.hold = last.promise;
  world.told.length = 0;
  const below = add(token, 'd.new.example');
  while (world.told.length === 0) await new Promise((done) => setImmediate(done));
  const blocked = await removeAll(token, 'new.example');
  assert.is(blocked.status, 409);
  assert.is(blocked.body.error, 'domain_has_subdomains');
  assert.match(blocked.body.detail ?? '', /d\.new\.example/);
  world.hold = undefined;
  last.resolve();
  assert.is((await below).status, 201);
  assert.is((await removeAll(token, 'new.example')).status, 200);
  assert.is(await total(token), 1);
});

test('while providers are called, a domain is in no list but its name is taken', async () => {
  const world = newWorld();
  const { server, add, remove, total } = await start(world);
  const [ann, bea] = [await server.user('ann'), await server.user('bea')];
  const { promise, resolve } = withResolver();
  world.hold = promise;
  const adding = add(ann.token, 'slow.example');
  while (world.told.length === 0) await new Promise((done) => setImmediate(done));
  assert.is(await total(ann.token), 0);
  assert.not((await allNames(world)).includes('slow.example'));
  assert.is((await add(bea.token, 'slow.example')).status, 409);
  assert.is((await add(bea.token, 'sub.slow.example')).status, 409);
  assert.is((await remove(ann.token, 'slow.example')).status, 404);
  resolve();
  world.hold = undefined;
  assert.is((await adding).status, 201);
  assert.is(await total(ann.token), 1);
});

// threat half-made-changes: the next start clears what a killed process left, and nothing else
test("what a killed process left is cleared at the next start, and nobody else's", async () => {
  const data = temporaryFolder();
  const first = await start(newWorld(), data);
  const { account, token } = await first.server.user('ann');
  for (const name of ['kept.example', 'parent.example', 'sub.parent.example', 'half.example', 'busy.example'])
    await first.add(token, name);
  const dead = await deadClaim();
  await setState(first.server, 'half.example', 'adding', dead);
  await setState(first.server, 'parent.example', 'removing', dead);
  await setState(first.server, 'busy.example', 'adding', PROCESS_ID);
  await first.server.close();
  running.delete(first.server);

  const world = newWorld();
  const second = await start(world, data);
  assert.equal(await allNames(world), ['kept.example', 'sub.parent.example']);
  assert.is((await second.add(token, 'busy.example')).body.error, 'domain_exists', 'its process lives');
  assert.is((await second.add(token, 'half.example')).status, 201);
  const { lines } = await second.server.hostkeep.core.events.page(account.id, 'removed', 0, 10);
  assert.is(lines.length, 1);
  assert.match(lines[0] ?? '', /removed the domain parent\.example from the command line$/);
  const { body } = await second.server.ask<{ maindomains: unknown[] }>('/api/docker_domains', { token });
  assert.is(body.maindomains.length, 3, 'what was below the removed domain is a main domain now');
});

test('other plugins see active domains, by account and all', async () => {
  const world = newWorld();
  const { server, add, remove } = await start(world);
  const [ann, bea] = [await server.user('ann'), await server.user('bea')];
  for (const name of ['b.example', 'a.example']) await add(ann.token, name);
  await add(bea.token, 'c.example');
  const service = world.service ?? assert.unreachable();
  const names = async (account: Account) => (await service?.list(account))?.map((each: Domain) => each.name);
  assert.equal(await names(ann.account), ['a.example', 'b.example']);
  assert.ok(Array.isArray(service?.list(ann.account)), 'what is remembered comes at once');
  const [own] = await service.list(bea.account);
  assert.equal([own?.name, own?.accountId, own?.components], ['c.example', bea.account.id, ['c.example']]);
  assert.equal((await allNames(world)).toSorted(), ['a.example', 'b.example', 'c.example']);
  world.changes.length = 0;
  await remove(bea.token, 'c.example');
  assert.ok(world.changes.includes(bea.account.id));
  assert.not(world.changes.includes(ann.account.id));
});

function withResolver(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

async function allNames({ service }: World): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of service?.all() ?? []) names.push(name);
  return names;
}

async function deadClaim(): Promise<string> {
  const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' });
  await once(child, 'exit');
  return `${child.pid}:12345`;
}

async function setState({ hostkeep }: TestServer, name: string, state: string, claim: string): Promise<void> {
  await hostkeep.core.store.write((tx) =>
    tx.run('update domains set state = ?, claimed_by = ? where name = ?', state, claim, name),
  );
}
