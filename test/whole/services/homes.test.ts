/** Two nodes on one store: each account is answered, and cared for, by its home, whichever node it asks. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as assert from '../../support/assert.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { RouteInfo } from '../../../kernel/contract/node-info.ts';
import { codeOf } from '../../support/code-of.ts';
import { NodePair } from '../../support/node-pair.ts';
import { byRoute, keepersOfFindings, pluginRows } from '../../support/plugin-rows.ts';
import { PASSWORD, type TestServer } from '../../support/hostkeep.ts';
import { ownSchema } from '../../support/postgres.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';
import { WebhookSink } from '../../support/webhook-sink.ts';

const test = testSuite('homes of accounts');
let fleet: NodePair;
let sink: WebhookSink;
let [one, two] = [] as unknown as [TestServer, TestServer];
let [ann, ben] = [] as unknown as { account: Account; token: string }[] as [Person, Person];
let admin: string;
interface Person {
  readonly account: Account;
  readonly token: string;
}

test.before(async () => {
  sink = await WebhookSink.open();
  fleet = await NodePair.start(ownSchema('homes'), () => ({
    webhooks: sink.settings,
    screenshots: { remote_url: 'https://pictures.example/{domain}' },
  }));
  ({ one, two } = fleet.nodes);
  ann = await fleet.user('ann', 'one');
  ben = await fleet.user('ben', 'two');
  ({ token: admin } = await one.admin());
  for (const [node, name] of [
    [one, 'ann'],
    [two, 'ben'],
  ] as const) {
    const folder = join(node.data, 'files', name, `of-${name}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `secret-of-${name}.txt`), name);
  }
});
test.after(async () => {
  await fleet.close();
  sink.close();
});

const onAdmin = (node: TestServer, path: string, more: { method?: string; body?: unknown } = {}) =>
  node.ask<Record<string, unknown>>(path, { address: 'admin', token: admin, ...more });

test("folders and domains are the home's, whichever node is asked", async () => {
  for (const node of [one, two]) {
    const of = async ({ token }: Person) => JSON.stringify((await node.ask('/api/folders', { token })).body);
    assert.match(await of(ann), /of-ann/);
    assert.match(await of(ben), /of-ben/);
    assert.not.match(await of(ben), /of-ann/);
  }
  // each at the node where it does not live, and seen there at once
  for (const [node, home, { token, account }] of [
    [two, one, ann],
    [one, two, ben],
  ] as const) {
    const domain = `${account.username}.example`;
    await node.ask('/api/domains', { token });
    const added = await node.ask('/api/domains/new', { method: 'POST', token, body: { domain_url: domain } });
    assert.is(added.status, 201, JSON.stringify(added.body));
    assert.match(JSON.stringify((await node.ask('/api/domains', { token })).body), new RegExp(domain));
    const docroot = (data: string) => existsSync(join(data, 'files', account.username, domain));
    assert.equal([docroot(home.data), docroot(node.data)], [true, false]);
  }
});

test('a name is free or taken in the whole fleet', async () => {
  const { status, body } = await two.ask('/api/domains/new', {
    method: 'POST',
    token: ben.token,
    body: { domain_url: 'shop.ann.example' },
  });
  assert.equal([status, body['error']], [409, 'domain_exists']);
});

// threat other-accounts: nor do two nodes answer one account with what is another's
test('every read answers alike from both nodes, with nothing of another', async () => {
  const given = await byRoute(({ homes }) => homes?.paths);
  const isChanging = async (plugin: string, name: string) =>
    (await pluginRows()).get(plugin)?.homes?.changing?.includes(name) === true;
  const readable = ({ address, method, access, produces = [] }: RouteInfo) =>
    address === 'user' && method === 'GET' && access !== 'guest' && !produces.includes('text/event-stream');
  const routes = one.hostkeep.node.routes().filter(readable);
  assert.ok(routes.length > 20);
  for (const { plugin, name, paths, at } of routes)
    for (const [{ token, account }, other, home] of [
      [ann, 'ben', one],
      [ben, 'ann', two],
    ] as const) {
      const route = `${plugin}.${name}`;
      const path = given.get(route)?.(account.username) ?? paths[0]?.replace(/[:*]\w+/g, 'x') ?? '';
      const ask = async (node: TestServer) => {
        const { status, body } = await node.ask(path, { token });
        assert.not.match(JSON.stringify(body), new RegExp(`of-${other}|\\b${other}\\b`), `${route} ${path}`);
        return (await isChanging(plugin, name)) ? status : [status, { ...body, request_id: '' }];
      };
      // What an answer needs is started by the first: on a busy machine, that may lack a part or be too late.
      let last: unknown;
      await until(`${route} answers as before`, async () => {
        const before = last;
        last = await ask(home);
        return isDeepStrictEqual(last, before);
      });
      assert.equal(await ask(one), await ask(two), `${route} ${path} (${at ?? 'anywhere'}) of ${account.username}`);
    }
});

test('administrators reach what is at another node, and see where each account lives', async () => {
  assert.is((await onAdmin(one, '/api/usage/cpu?node=three')).body['error'], 'node_not_found');
  const { body: list } = await onAdmin(two, '/api/accounts?node=two');
  assert.equal(
    (list['accounts'] as { username: string; node: string }[]).map(({ username, node }) => [username, node]),
    [['ben', 'two']],
  );
  assert.is((await onAdmin(two, '/api/accounts/root')).body['node'], null);
  for (const node of [one, two])
    for (const name of ['one', 'two']) {
      const { status, body } = await onAdmin(node, `/api/settings?node=${name}`);
      assert.is(status, 200);
      const settings = body['settings'] as { setting: string; value: unknown }[];
      assert.is(
        settings.find(({ setting }) => setting === 'data')?.value,
        { one, two }[name]?.data,
        'it is the node that was named',
      );
      const usage = await onAdmin(node, `/api/usage/accounts?node=${name}`);
      assert.equal(
        (usage.body['accounts'] as { username: string }[]).map(({ username }) => username),
        [{ one: 'ann', two: 'ben' }[name]],
      );
    }
  const { body: all } = await onAdmin(one, '/api/usage/accounts');
  const domains = (all['accounts'] as { domains: { used: number | null } }[]).map(({ domains: { used } }) => used);
  assert.equal(domains, [1, null], 'what is at another node is not known, and not zero');
  const usage = await onAdmin(one, '/api/accounts/ben/usage');
  assert.equal(usage.body, (await onAdmin(two, '/api/accounts/ben/usage')).body);
  assert.equal((await onAdmin(one, '/api/accounts?over=true')).body['accounts'], []);
});

test('the event log of all nodes says which of them recorded an event', async () => {
  for (const node of ['one', 'two']) {
    const { body } = await onAdmin(one, `/api/events?type=account.created&node=${node}`);
    const events = body['events'] as readonly { username: string; node: string }[];
    assert.ok(
      events.some(({ username }) => username === (node === 'one' ? 'ann' : 'ben')),
      node,
    );
    assert.ok(events.every((event) => event.node === node));
  }
});

test('a new account lives where it is said, and its node only is asked to remove it', async () => {
  const create = (body: object) =>
    onAdmin(one, '/api/accounts', { method: 'POST', body: { password: PASSWORD, ...body } });
  assert.is((await create({ username: 'carl', plan: 'developer', node: 'three' })).body['error'], 'node_not_found');
  assert.is(
    (await create({ username: 'carl', role: 'admin', node: 'one' })).body['error'],
    'reauthentication_required',
  );
  const here = await create({ username: 'carl', plan: 'developer' });
  assert.equal([here.status, here.body['node']], [201, 'one'], JSON.stringify(here.body));
  await one.hostkeep.core.store.write((tx) => tx.run("update accounts set home = 'two' where username = 'carl'"));
  const files = join(two.data, 'files', 'carl');
  mkdirSync(files, { recursive: true });
  writeFileSync(join(files, 'left.txt'), 'left');
  const { status, body } = await onAdmin(one, '/api/accounts/carl?purge=true', { method: 'DELETE' });
  assert.equal([status, body['deleted']], [200, true], JSON.stringify(body));
  assert.is(existsSync(files), false, 'the files at its home are gone');
});

test("a node's totals count its accounts, and a domain scan its own", async () => {
  for (const [node, name] of [
    [one, 'ann'],
    [two, 'ben'],
  ] as const) {
    const parts = await node.hostkeep.plugins.gather('counts');
    const totals = Object.assign({}, ...parts.map((part) => (part.ok ? part.value : {}))) as Record<string, number>;
    assert.equal([totals['users'], totals['domains']], [1, 1]);
    const owners: string[] = [];
    for await (const page of node.hostkeep.core.accounts.pagesOfHere())
      owners.push(...page.map(({ username }) => username));
    assert.equal(owners, [name]);
  }
});

test('what a node finds on its disks is kept of accounts that live there alone', async () => {
  for (const [plugin, keep] of await keepersOfFindings())
    assert.is(await codeOf(keep(two.hostkeep.core, ann.account)), 'other_node', plugin);
});

test('an event reaches an endpoint once, also when the deliverer ends', async () => {
  const delivered = (text: string) => [...sink.events.values()].filter((event) => JSON.stringify(event).includes(text));
  const add = (person: Person, node: TestServer, domain: string) =>
    node.ask('/api/domains/new', { method: 'POST', token: person.token, body: { domain_url: domain } });
  const areThere = (...names: string[]) =>
    until(`${names.join()} are delivered`, () => names.every((name) => delivered(name).length === 1));
  await until('a node delivers', async () => {
    await one.hostkeep.core.accounts.update('ann', { email: `a${Date.now()}@example.com` });
    return sink.deliveries.length > 0;
  });
  assert.is((await add(ann, one, 'first.example')).status, 201);
  assert.is((await add(ben, one, 'second.example')).status, 201);
  await areThere('first.example', 'second.example');
  await one.close();
  assert.is((await add(ben, two, 'third.example')).status, 201);
  await areThere('third.example');
  assert.equal(sink.deliveries, [...new Set(sink.deliveries)]);
});
