import * as assert from '../support/assert.ts';
import { createLog } from '../../kernel/log.ts';
import { HttpError, Unavailable } from '../../kernel/errors.ts';
import { definePlugin, type Plugin } from '../../kernel/contract/plugin.ts';
import { Type } from '../../kernel/schema.ts';
import type { InstalledPlugin } from '../../kernel/host/discovery.ts';
import { Hostkeep } from '../../kernel/run/hostkeep.ts';
import { temporaryFolder } from '../support/folder.ts';
import { installed, testConfig, TestServer } from '../support/hostkeep.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('loader');
const reply = Type.Object({});

/** Returns a plugin with one guest route, `/<name>`, and the given other parts. */
function plugin(name: string, rest: Partial<Plugin> = {}): Plugin {
  return definePlugin({
    name,
    features: [],
    routes: { show: { method: 'GET', path: `/${name}`, access: 'guest', summary: name, reply } },
    setup: () => ({ handlers: { show: () => ({}) } }),
    ...rest,
  } as Plugin);
}

const failure = (plugins: readonly Plugin[], config = {}) =>
  TestServer.start({ plugins, config }).then(
    () => 'started',
    (error: Error) => error.message,
  );

test('a contradictory route table stops the start and names the remedy', async () => {
  const route = { method: 'GET', path: '/x/:id', access: 'guest', summary: '', reply } as const;
  const handlers = { a: () => ({}) };
  assert.match(
    await failure([
      plugin('one', { routes: { a: route }, setup: () => ({ handlers }) }),
      plugin('two', { routes: { a: { ...route, path: '/x/:name' } }, setup: () => ({ handlers }) }),
    ]),
    /routes one.a and two.a both answer GET \/x\/:name on the user address; rename one or switch one plugin off/,
  );
  assert.match(
    await failure([plugin('one', { uses: ['two'] }), plugin('two', { uses: ['one'] })]),
    /plugins use each other in a circle: one → two → one/,
  );
  assert.match(
    await failure([plugin('one', { features: ['dns'] }), plugin('two', { features: ['dns'] })]),
    /plugins one and two both own the feature dns/,
  );
  assert.match(
    await failure([plugin('one', { features: ['nonsense'] })]),
    /owns nonsense, which no features.json describes/,
  );
  assert.match(
    await failure([plugin('one')], { plugins: { two: false } }),
    /names two, which is neither a setting nor a plugin/,
  );
  assert.match(await failure([plugin('one')], { one: {} }), /plugin one has no settings/);
  assert.match(
    await failure([plugin('one')], { external_features: ['nonsense'] }),
    /external_features names nonsense, which is not a feature/,
  );
});

// asvs 16.3.4, 16.5.3: a plugin that cannot run returns 503 and affects no other
test('a plugin that cannot run answers 503 and leaves the others alone', async () => {
  const closed: string[] = [];
  const server = await TestServer.start({
    plugins: [
      plugin('absent', {
        setup: () => {
          throw new Unavailable('no such program', 'apt-get install program');
        },
      }),
      plugin('broken', {
        setup: ({ onClose }) => {
          onClose(() => void closed.push('broken'));
          throw new Error('a fault');
        },
      }),
      plugin('dependent', { uses: ['absent'] }),
      plugin('lonely', { uses: ['nowhere'] }),
      plugin('gated', {
        features: ['dns'],
        routes: { show: { method: 'GET', path: '/gated', summary: '', reply } },
        setup: () => {
          throw new Unavailable('not here');
        },
      }),
      plugin('fine'),
    ],
  });
  for (const name of ['absent', 'broken']) {
    const { status, headers, body } = await server.ask(`/${name}`);
    assert.is(status, 503, name);
    assert.is(body['error'], 'feature_unavailable');
    assert.is(headers.get('retry-after'), '30');
    assert.not.match(JSON.stringify(body), /no such program|a fault/);
  }
  assert.is((await server.ask('/gated')).status, 401, 'a door that leads nowhere is still closed');
  assert.is((await server.ask('/fine')).status, 200);
  assert.equal(closed, ['broken']);
  const states = new Map(server.hostkeep.node.plugins().map((status) => [status.name, status]));
  assert.is(states.get('absent')?.remedy, 'apt-get install program');
  for (const name of ['dependent', 'lonely']) {
    assert.is((await server.ask(`/${name}`)).status, 200, 'it does without what it uses');
    assert.is(states.get(name)?.state, 'ready');
  }
  assert.is(states.get('fine')?.state, 'ready');
});

test('a plugin that is switched off has no routes', async () => {
  const server = await TestServer.start({
    plugins: [plugin('one'), plugin('two', { uses: ['one'] })],
    config: { plugins: { one: false } },
  });
  assert.is((await server.ask('/one')).status, 404);
  assert.is((await server.ask('/two')).status, 200);
});

test('a plugin that is off unless told so is not imported before', async () => {
  const folder = temporaryFolder();
  let loads = 0;
  const [one] = installed([plugin('one')]);
  const optIn = { ...one, isOptIn: true, load: async () => ((loads += 1), plugin('one')) } as InstalledPlugin;
  const start = (plugins: Record<string, boolean>) =>
    Hostkeep.start(testConfig(folder, { plugins }), createLog('silent'), { plugins: [optIn] });
  const askedOf = async (hostkeep: Hostkeep) => (await fetch(`${hostkeep.url('user')}/one`)).status;
  const off = await start({});
  assert.equal([await askedOf(off), loads, (await off.node.settings()).length > 0, loads], [404, 0, true, 0]);
  const [status] = off.node.plugins();
  assert.equal([status?.state, status?.reason], ['off', 'off unless plugins.one of the configuration is true']);
  await off.close();
  const on = await start({ one: true });
  assert.is(await askedOf(on), 200);
  await on.close();
});

test('plugins start after those that they use and close in reverse order', async () => {
  const order: string[] = [];
  const traced = (name: string, uses: string[]) =>
    plugin(name, {
      uses,
      setup: ({ onClose, peer }) => {
        order.push(`${name} after ${uses.map((each) => peer<string>(each)).join(' and ')}`);
        onClose(() => void order.push(`close ${name}`));
        return { handlers: { show: () => ({}) }, service: name.toUpperCase() };
      },
    });
  const server = await TestServer.start({ plugins: [traced('a', ['b', 'c']), traced('b', ['c']), traced('c', [])] });
  await server.close();
  assert.equal(order, ['c after ', 'b after C', 'a after B and C', 'close a', 'close b', 'close c']);
});

test('work that waits for all plugins runs once they are set up', async () => {
  const seen: string[] = [];
  const slow = plugin('slow', {
    uses: ['early'],
    setup: () => ({ handlers: { show: () => ({}) }, provides: { counts: () => ({ users: 1 }) } }),
  });
  const early = plugin('early', {
    setup: async ({ node, gather }) => {
      const look = async () => {
        seen.push(String((await gather('counts')).length));
        await node.afterSetup(() => void seen.push('at once'));
      };
      await node.afterSetup(look);
      seen.push('set up');
      return { handlers: { show: () => ({}) } };
    },
  });
  const failing = plugin('failing', {
    setup: async ({ node }) => {
      await node.afterSetup(() => void seen.push('of a plugin that is not there'));
      throw new Unavailable('it lacks something');
    },
  });
  await TestServer.start({ plugins: [early, slow, failing] });
  assert.equal(seen, ['set up', '1', 'at once']);
});

test('a failed release is logged, and the other plugins are closed', async () => {
  const closed: string[] = [];
  const closing = (name: string, isBroken = false) =>
    plugin(name, {
      setup: ({ onClose, peer }) => {
        onClose(() => {
          closed.push(name);
          if (isBroken) throw new Error('it is stuck');
        });
        assert.throws(() => peer('b'), /does not list b in uses/);
        return { handlers: { show: () => ({}) } };
      },
    });
  const server = await TestServer.start({ plugins: [closing('a'), closing('b', true), closing('c')] });
  assert.is((await server.ask('/a')).status, 200);
  await server.close();
  assert.equal(closed, ['c', 'b', 'a']);
});

test('a set-up that hangs makes its plugin unavailable', async () => {
  const real = globalThis.setTimeout;
  globalThis.setTimeout = ((work: () => void, ms = 0) => real(work, ms === 30_000 ? 0 : ms)) as typeof setTimeout;
  try {
    const server = await TestServer.start({
      plugins: [plugin('hanging', { setup: () => new Promise(() => {}) }), plugin('fine')],
    });
    globalThis.setTimeout = real;
    assert.equal([(await server.ask('/hanging')).status, (await server.ask('/fine')).status], [503, 200]);
    await server.close();
  } finally {
    globalThis.setTimeout = real;
  }
});

test('a release that hangs holds up neither the next ones nor a reload', async () => {
  const closed: string[] = [];
  const closing = (name: string, release: () => void | Promise<void>) =>
    plugin(name, {
      setup: ({ onClose }) => {
        onClose(() => {
          closed.push(name);
          return release();
        });
        return { handlers: { show: () => ({}) } };
      },
    });
  const server = await TestServer.start({
    plugins: [closing('first', () => undefined), closing('hanging', () => new Promise(() => {}))],
  });
  const real = globalThis.setTimeout;
  globalThis.setTimeout = ((work: () => void, ms = 0) => real(work, ms === 30_000 ? 0 : ms)) as typeof setTimeout;
  try {
    const { config } = server.hostkeep.node;
    await server.hostkeep.reconfigure({ ...config, listen: '127.0.0.1:0', admin_listen: '127.0.0.1:0' });
    assert.equal(closed, ['hanging', 'first']);
    assert.is((await server.ask('/hanging')).status, 200);
    await server.close();
    assert.equal(closed, ['hanging', 'first', 'hanging', 'first']);
  } finally {
    globalThis.setTimeout = real;
  }
});

test('concurrent reloads follow each other, and the last configuration stays', async () => {
  let running = 0;
  const words: unknown[] = [];
  const server = await TestServer.start({
    plugins: [
      plugin('one', {
        config: Type.Object({ word: Type.String({ default: '' }) }),
        setup: async ({ config, onClose }) => {
          running += 1;
          words.push(config);
          onClose(() => void (running -= 1));
          return { handlers: { show: () => ({}) } };
        },
      }),
    ],
  });
  const { hostkeep } = server;
  const kept = hostkeep.node.config;
  const change = (word: unknown) => hostkeep.reconfigure({ ...kept, sections: { one: { word } } });
  const refused = change(5).catch((error: Error) => error.message);
  await Promise.all([change('a'), change('b')]);
  assert.match(String(await refused), /one.word must be string/);
  assert.equal([running, words], [1, ['', 'a', 'b'].map((word) => ({ word }))]);
  assert.equal(hostkeep.node.config.sections, { one: { word: 'b' } });
  await server.close();
  assert.is(running, 0);
});

test('points are gathered concurrently; a failure costs only its part', async () => {
  const provider = (name: string, counts: () => { users: number } | Promise<{ users: number }>) =>
    plugin(name, { setup: () => ({ handlers: { show: () => ({}) }, provides: { counts } }) });
  const hostkeep = await Hostkeep.start(testConfig(temporaryFolder()), createLog('silent'), {
    listen: 'never',
    plugins: installed([
      provider('fast', () => ({ users: 1 })),
      provider('failing', () => {
        throw new HttpError('internal_error', 'no');
      }),
      provider('hanging', () => new Promise(() => {})),
      provider('late', async () => ({ users: 2 })),
    ]),
  });
  const parts = await hostkeep.plugins.gather('counts');
  assert.equal(
    parts.map((part) => [part.plugin, part.ok, part.ok ? part.value.users : undefined]),
    [
      ['fast', true, 1],
      ['failing', false, undefined],
      ['hanging', false, undefined],
      ['late', true, 2],
    ],
  );
  await hostkeep.close();
});

test('a plugin that is off is not even imported, and is listed with its features', async () => {
  const load = () => Promise.reject(new Error('it was imported'));
  const off = { name: 'two', isOptIn: false, features: () => ['dns'], load };
  const hostkeep = await Hostkeep.start(
    testConfig(temporaryFolder(), { plugins: { two: false }, two: { anything: true } }),
    createLog('silent'),
    { listen: 'never', plugins: [...installed([plugin('one')]), off] },
  );
  assert.equal(
    hostkeep.node.plugins().map(({ name, state, features }) => [name, state, features]),
    [
      ['one', 'ready', []],
      ['two', 'off', ['dns']],
    ],
  );
  assert.not(hostkeep.plugins.features.has('dns'));
  await hostkeep.close();
});
