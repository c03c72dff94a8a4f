import type { Account } from '../../kernel/identity/accounts.ts';
import { messageOf, Unavailable } from '../../kernel/errors.ts';
import { definePlugin } from '../../kernel/plugin-api/plugin.ts';
import { cgroupFinding, EngineMonitor, engineMetrics, remedyFor } from './engine-monitor.ts';
import { unavailable } from './engine/unavailable.ts';
import { purgeContainers } from './purge.ts';
import { ContainersConfig, ContainerStats, DiskUsage } from './schema.ts';
import { CgroupReader } from './stats/cgroup-reader.ts';

/** Delay of loading the client library, so that it does not slow down the start. */
const PRELOAD_MS = 500;

/** A new account of the same name would use the engine. */
const OWN_ENGINE = {
  what: 'containers',
  removed: 0,
  problem: 'the account has an engine of its own: stop it, and remove its entry from containers.sockets',
};

export default definePlugin({
  name: 'containers',
  features: ['docker'],
  config: ContainersConfig,
  routes: {
    stats: {
      method: 'GET',
      path: '/api/docker_stats',
      summary: "Total resource usage of the account's running containers",
      reply: ContainerStats,
      errors: ['containers_unavailable'],
    },
    df: {
      method: 'GET',
      path: '/api/container/df',
      summary: "Disk usage of the account's containers, images and volumes",
      reply: DiskUsage,
      errors: ['containers_unavailable'],
    },
  },
  setup({ config, log, onClose }) {
    if (config.socket === '' && Object.keys(config.sockets).length === 0)
      throw new Unavailable('no container engine is configured', 'set containers.socket or containers.sockets');
    const cgroups = new CgroupReader();
    const options = { timeoutMs: config.timeout_ms, keepUsageMs: config.df_seconds * 1000, cgroups, log };
    const shared = config.socket === '' ? undefined : new EngineMonitor(config.socket, options);
    const own = new Map(
      Object.entries(config.sockets).map(([username, socket]) => [
        username,
        new EngineMonitor(socket, { ...options, ownBeside: config.socket }),
      ]),
    );
    const monitors = [...(shared ? [shared] : []), ...own.values()];
    const preloading = setTimeout(
      () => void Promise.allSettled(monitors.map(({ engine }) => engine.preload())),
      PRELOAD_MS,
    ).unref();
    onClose(() => {
      clearTimeout(preloading);
      for (const monitor of monitors) monitor.close();
    });
    /** Throws 503 for an account without an engine, rather than showing it another account's. */
    const monitorOf = ({ username }: Account): EngineMonitor => {
      const monitor = own.get(username) ?? shared;
      if (monitor === undefined) throw unavailable(undefined, 'the account has no container engine');
      return monitor;
    };
    return {
      handlers: {
        stats: ({ account }) => monitorOf(account).sampler.poll(account),
        df: ({ account }) => monitorOf(account).diskUsage.get(account),
      },
      provides: {
        ports: (account) => (own.get(account.username) ?? shared)?.ports(account) ?? {},
        doctor: () => Promise.all([...monitors.map((monitor) => monitor.finding()), cgroupFinding(cgroups)]),
        // an account's own engine is the account's to start and to stop
        health: async () => (shared === undefined ? [] : [await shared.health()]),
        purge: (account, signal) => {
          if (own.has(account.username)) return [OWN_ENGINE];
          if (shared === undefined) return [];
          return purgeContainers(shared.engine, account, signal).catch((error: unknown) => {
            const why = messageOf(error);
            return [{ what: 'containers', removed: 0, problem: `${why} (${remedyFor(why, false)})` }];
          });
        },
        metrics: () => engineMetrics(monitors),
        demoOutside: async ({ demo }) =>
          shared === undefined
            ? { leftOut: ['containers: no shared container engine is configured (containers.socket)'] }
            : (await import('./demo.ts')).startDemoContainers(shared, demo, onClose),
      },
    };
  },
});
