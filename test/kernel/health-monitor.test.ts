/** The states of plugins whose surroundings come and go. */
import { readFileSync } from 'node:fs';
import * as assert from '../support/assert.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { createLog } from '../../kernel/log.ts';
import { definePlugin, type Plugin } from '../../kernel/contract/plugin.ts';
import { Type } from '../../kernel/schema.ts';
import { Gatherer } from '../../kernel/host/gatherer.ts';
import { HealthMonitor } from '../../kernel/host/health-monitor.ts';
import { TestServer } from '../support/hostkeep.ts';
import { Gate } from '../support/probe.ts';
import { testSuite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = testSuite('health monitor');
const log = createLog('silent');
const FINE: readonly Finding[] = [{ name: 'engine', ok: true, detail: 'answers' }];
const GONE: readonly Finding[] = [
  { name: 'engine', ok: false, detail: 'does not answer', remedy: 'start the engine' },
  { name: 'folder', ok: true, detail: 'is there' },
  { name: 'socket', ok: false, detail: 'is missing' },
];

/** Returns a plugin whose `health` calls `check`. */
const plugin = (name: string, check: () => readonly Finding[] | Promise<readonly Finding[]>): Plugin =>
  definePlugin({
    name,
    features: [],
    routes: {},
    setup: () => ({ handlers: {}, provides: { health: check } }),
  });

test('a plugin is degraded while a check fails, and ready again afterwards', async () => {
  let check: () => readonly Finding[] = () => GONE;
  let checks = 0;
  const provides = {
    health: () => {
      checks += 1;
      return check();
    },
  };
  const gatherer = new Gatherer(log, () => [{ plugin: plugin('one', () => []), setup: { handlers: {}, provides } }]);
  const monitor = new HealthMonitor(gatherer.gather, log, { firstMs: 1, intervalMs: 1 });
  assert.is(monitor.of('one'), undefined);
  monitor.start();
  await until('the first check', () => monitor.of('one') !== undefined);
  assert.equal(monitor.of('one'), { detail: 'does not answer; is missing', remedy: 'start the engine' });
  assert.is(monitor.of('other'), undefined);
  check = () => FINE;
  await until('a check that finds the engine', () => monitor.of('one') === undefined);
  check = () => {
    throw new Error('no permission');
  };
  await until('a check that fails', () => monitor.of('one') !== undefined);
  assert.equal(monitor.of('one'), { detail: 'the check failed: no permission' });
  check = () => {
    readFileSync('/nonexistent/socket');
    return FINE;
  };
  await until('a check that the system fails', () => monitor.of('one')?.detail !== 'the check failed: no permission');
  assert.equal(monitor.of('one'), { detail: 'the check failed' }, 'codes of the system are for the log');
  monitor.close();
  const before = checks;
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(checks - before <= 1, 'none but one that was under way');
});

test('the list shows ready, degraded, unavailable and off plugins', async () => {
  const first = new Gate();
  const server = await TestServer.start({
    plugins: [
      plugin('fine', () => FINE),
      plugin('gone', () => first.opened.then(() => GONE)),
      definePlugin({ ...plugin('broken', () => FINE), setup: () => Promise.reject(new Error('a fault')) }),
      plugin('out', () => FINE),
    ],
    config: { plugins: { out: false } },
  });
  const states = () => server.hostkeep.node.plugins().map(({ name, state }) => [name, state]);
  const settled = (gone: string) => [
    ['broken', 'unavailable'],
    ['fine', 'ready'],
    ['gone', gone],
    ['out', 'off'],
  ];
  assert.equal(states(), settled('ready'), 'the start waits for no check');
  first.open();
  await until('the first check', () => server.hostkeep.node.plugins()[2]?.state === 'degraded');
  assert.equal(states(), settled('degraded'));
  const { reason, remedy, provides } = server.hostkeep.node.plugins()[2] ?? {};
  assert.equal([reason, remedy], ['does not answer; is missing', 'start the engine']);
  assert.equal(provides, ['health']);
});

test('accounts can use neither what lacks something now nor what is for administrators', async () => {
  let findings: readonly Finding[] = [{ name: 'engine', ok: true, detail: 'answers', features: ['redis'] }];
  const route = { method: 'GET', summary: 'Nothing', reply: Type.Object({}) } as const;
  const handlers = { show: () => ({}) };
  const server = await TestServer.start({
    plugins: [
      definePlugin({
        name: 'engine',
        features: ['redis', 'memcached'],
        routes: { show: { ...route, path: '/api/engine' } },
        setup: () => ({ handlers, provides: { health: () => findings } }),
      }),
      definePlugin({
        name: 'operator',
        features: ['waf'],
        routes: { show: { ...route, path: '/api/operator', address: 'admin', access: 'admin' } },
        setup: () => ({ handlers }),
      }),
    ],
  });
  const { node } = server.hostkeep;
  const account = { features: new Set(['waf', 'redis', 'memcached', 'dns']) };
  assert.equal(node.usableFeatures(account), ['memcached', 'redis']);
  findings = findings.map((finding) => ({ ...finding, ok: false }));
  await until('a check', () => !node.usableFeatures(account).includes('redis'));
  assert.equal(node.usableFeatures(account), ['memcached']);
  assert.equal(node.providedFeatures(account), ['memcached', 'redis'], 'it may come back');
});
