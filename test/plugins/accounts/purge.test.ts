import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { Unavailable } from '../../../kernel/errors.ts';
import type { RemovedAccount } from '../../../kernel/identity/accounts/removed-accounts.ts';
import { definePlugin } from '../../../kernel/contract/plugin.ts';
import type { PurgePart } from '../../../kernel/contract/points/purge-part.ts';
import accounts from '../../../plugins/accounts/index.ts';
import { hostkeep } from '../../support/command.ts';
import { PASSWORD, TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';

const test = testSuite('accounts-purge');

interface Reply {
  readonly error?: string;
  readonly deleted?: boolean;
  readonly purge?: { readonly state: string; readonly parts: readonly unknown[] };
}

/** A server with a plugin that keeps a number of things of each account. */
async function start(purge: (account: RemovedAccount) => PurgePart | Promise<PurgePart>) {
  const keeper = definePlugin({
    name: 'keeper',
    features: [],
    routes: {},
    setup: () => ({ handlers: {}, provides: { purge: async (account) => [await purge(account)] } }),
  });
  const server = await TestServer.start({ plugins: [accounts, keeper] });
  const { token } = await server.admin('operator');
  const ask = (path: string, method = 'DELETE', body?: unknown) =>
    server.ask<Reply>(`/api/accounts${path}`, { token, address: 'admin', method, ...(body !== undefined && { body }) });
  const create = async (username: string) =>
    (await ask('', 'POST', { username, password: PASSWORD, plan: 'basic' })).body.error ?? 'created';
  return { server, ask, create };
}

const FILES = { plugin: 'kernel', what: 'files', removed: 0, problem: null };
const parts = (removed: number, problem: string | null = null) => ({
  plugin: 'keeper',
  what: 'things',
  removed,
  problem,
});

// threat reused-names: a purge removes everything under a name, and only then is the name free
test('a removed account is purged, and a new one of its name finds nothing of it', async () => {
  const { server, ask, create } = await start(() => ({ what: 'things', removed: 3 }));
  const { account } = await server.user('ann');
  mkdirSync(account.filesRoot, { recursive: true });
  writeFileSync(join(account.filesRoot, 'secret'), '');
  assert.equal((await ask('/ann')).body, { username: 'ann', deleted: true, kept: [] });
  assert.is(await create('ann'), 'name_reserved');
  const { status, body } = await ask('/ann?purge=true');
  assert.is(status, 200);
  assert.equal(body, {
    username: 'ann',
    deleted: true,
    kept: [],
    purge: { state: 'complete', parts: [parts(3), { ...FILES, removed: 2 }] },
  });
  assert.equal(readdirSync(join(server.data, 'files/.removed')), []);
  assert.is(await create('ann'), 'created');
  const fresh = await server.hostkeep.core.accounts.get('ann');
  assert.is.not(fresh.id, account.id);
  assert.not(existsSync(fresh.filesRoot));
  const events = await server.hostkeep.core.events.after(0, 100);
  assert.match(
    events.find(({ type }) => type === 'account.purged')?.line ?? '',
    /'operator' purged the removed account ann/,
  );
});

test('an account is removed and purged at once', async () => {
  const { server, ask, create } = await start(() => ({ what: 'things', removed: 0 }));
  const { account } = await server.user('bob');
  mkdirSync(account.filesRoot, { recursive: true });
  const { body } = await ask('/bob?purge=true');
  assert.equal(body.purge, { state: 'complete', parts: [parts(0), { ...FILES, removed: 1 }] });
  assert.is(await create('bob'), 'created');
  for (const [path, error] of [
    ['/nobody?purge=true', 'account_not_found'],
    ['/nobody', 'account_not_found'],
    ['/operator?purge=true', 'own_account'],
    ['/bob?purge=perhaps', 'invalid_request'],
  ] as const)
    assert.is((await ask(path)).body.error, error, path);
});

// threat half-made-changes: a purge that fails in part keeps the name reserved, and can be repeated
test('a purge names what it cannot remove, and a later one completes it', async () => {
  let problem: string | undefined = 'two are in use';
  const { server, ask, create } = await start(({ username }) => {
    assert.is(username, 'cleo');
    if (problem === 'broken') throw new Error(problem);
    return { what: 'things', removed: 1, problem };
  });
  await server.user('cleo');
  assert.equal((await ask('/cleo?purge=true')).body.purge, {
    state: 'incomplete',
    parts: [parts(1, 'two are in use'), FILES],
  });
  assert.is(await create('cleo'), 'name_reserved');
  problem = 'broken';
  assert.equal((await ask('/cleo?purge=true')).body.purge?.parts, [
    { plugin: 'keeper', what: 'everything', removed: 0, problem: 'broken' },
    FILES,
  ]);
  assert.is(await create('cleo'), 'name_reserved');
  problem = undefined;
  assert.is((await ask('/cleo?purge=true')).body.purge?.state, 'complete');
  assert.is(await create('cleo'), 'created');
});

test('requests during a purge get its report; the name stays reserved', async () => {
  let calls = 0;
  let [release, called] = [(): void => {}, (): void => {}];
  const isHeld = new Promise<void>((resolve) => (release = resolve));
  const isCalled = new Promise<void>((resolve) => (called = resolve));
  const { server, ask, create } = await start(async () => {
    calls += 1;
    called();
    await isHeld;
    return { what: 'things', removed: 2 };
  });
  await server.user('dan');
  await ask('/dan');
  const { accounts: known } = server.hostkeep.core;
  const look = known.byUsername.bind(known);
  let looks = 0;
  known.byUsername = async (name, ...rest) => {
    const found = await look(name, ...rest);
    if (name === 'dan') looks += 1;
    return found;
  };
  const asking = [ask('/dan?purge=true'), ask('/dan?purge=true')];
  await isCalled;
  await until('both requests are in the purge', () => looks === 2);
  assert.is(await create('dan'), 'name_reserved');
  release();
  for (const { body } of await Promise.all(asking))
    assert.equal(body.purge, { state: 'complete', parts: [parts(2), FILES] });
  assert.is(calls, 1);
});

test('a name is not freed while a plugin that keeps things by name is unavailable', async () => {
  const ledger = (name: string, keepsByName: boolean) =>
    definePlugin({
      name,
      features: [],
      keepsByName,
      routes: {},
      setup: () => {
        throw new Unavailable('it is misconfigured');
      },
    });
  const server = await TestServer.start({ plugins: [accounts, ledger('ledger', true), ledger('other', false)] });
  const { token } = await server.admin('operator');
  await server.user('eve');
  const { body } = await server.ask<Reply>('/api/accounts/eve?purge=true', {
    token,
    address: 'admin',
    method: 'DELETE',
  });
  const problem = 'the plugin is unavailable: it is misconfigured';
  assert.equal(body.purge, {
    state: 'incomplete',
    parts: [{ plugin: 'ledger', what: 'everything', removed: 0, problem }, FILES],
  });
});

test('the command line removes, lists and purges beside a running server', async () => {
  const server = await TestServer.start({ plugins: [accounts] });
  const config = join(server.data, 'config.json');
  writeFileSync(config, JSON.stringify({ containers: { socket: '' }, plugins: { screenshots: false } }));
  const run = (...args: string[]) => hostkeep(server.data, ['--config', config, 'account', ...args]);
  const { account } = await server.user('finn');
  mkdirSync(account.filesRoot, { recursive: true });
  writeFileSync(join(account.filesRoot, 'file'), '');
  const files = join(server.data, `files/.removed/finn-${account.id}`);
  assert.is((await run('purge', 'finn', '--yes')).code, 1, 'it is not removed');
  assert.ok(existsSync(account.filesRoot));
  assert.is((await run('remove', 'finn', '--yes')).stdout, `finn is removed; its files are in ${files}\n`);
  assert.match((await run('removed')).stdout, new RegExp(`finn +\\S+ +${files}\n`));
  assert.match((await run('add', 'finn', '--plan', 'basic')).stderr, /name of a removed account that is not purged/);
  const { code, stdout } = await run('purge', 'finn', '--yes', '--json');
  const { state, parts } = JSON.parse(stdout) as { state: string; parts: { what: string; removed: number }[] };
  assert.equal([code, state], [0, 'complete']);
  assert.equal(
    parts.filter(({ removed }) => removed > 0).map(({ what, removed }) => [what, removed]),
    [['files', 2]],
  );
  assert.not(existsSync(files));
  assert.is((await run('add', 'finn', '--plan', 'basic')).code, 0);
  assert.match((await run('purge', 'finn', '--yes')).stderr, /no removed account finn/);
});
