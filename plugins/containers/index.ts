import type { Account } from '../../kernel/identity/accounts.ts';
import { Unavailable } from '../../kernel/errors.ts';
import { definePlugin } from '../../kernel/plugin-api/plugin.ts';
import { CgroupReader } from './stats/cgroup-reader.ts';
import { showDemo } from './demo.ts';
import { EngineMonitor, findCgroups, metricsOf } from './engine-monitor.ts';
import { unavailable } from './engine/unavailable.ts';
import { ContainersConfig, ContainerStats, DiskUsage } from './schema.ts';

/** When the start is over, which loading a library would make longer. */
const PREPARE_MS = 500;

export default definePlugin({
  name: 'containers',
  features: ['docker'],
  config: ContainersConfig,
  routes: {
    stats: {
      method: 'GET',
      path: '/api/docker_stats',
      summary: 'What the running containers of the account use together',
      reply: ContainerStats,
      errors: ['containers_unavailable'],
    },
    df: {
      method: 'GET',
      path: '/api/container/df',
      summary: "Disk usage of the account's containers, their images and volumes",
      reply: DiskUsage,
      errors: ['containers_unavailable'],
    },
  },
  setup({ config, log, onClose }) {
    if (config.socket === '' && Object.keys(config.sockets).length === 0)
      throw new Unavailable(
        'the configuration names no container engine',
        'set containers.socket or containers.sockets',
      );
    const cgroups = new CgroupReader();
    const options = { timeoutMs: config.timeout_ms, keepUsageMs: config.df_seconds * 1000, cgroups, log };
    const shared = config.socket === '' ? undefined : new EngineMonitor(config.socket, options);
    const own = new Map(
      Object.entries(config.sockets).map(([username, socket]) => [
        username,
        new EngineMonitor(socket, { ...options, ownBeside: config.socket }),
      ]),
    );
    const rooms = [...(shared ? [shared] : []), ...own.values()];
    const preparing = setTimeout(
      () => void Promise.allSettled(rooms.map(({ engine }) => engine.prepare())),
      PREPARE_MS,
    ).unref();
    onClose(() => {
      clearTimeout(preparing);
      for (const room of rooms) room.close();
    });
    /** An account without an engine is told so; it is never shown another's. */
    const roomOf = ({ username }: Account): EngineMonitor => {
      const room = own.get(username) ?? shared;
      if (room === undefined) throw unavailable(undefined, 'the account has no container engine');
      return room;
    };
    return {
      handlers: {
        stats: ({ account }) => roomOf(account).sampler.poll(account),
        df: ({ account }) => roomOf(account).diskUsage.show(account),
      },
      provides: {
        ports: (account) => (own.get(account.username) ?? shared)?.ports(account) ?? {},
        doctor: () => Promise.all([...rooms.map((room) => room.find()), findCgroups(cgroups)]),
        metrics: () => metricsOf(rooms),
        demoOutside: ({ demo }) =>
          shared === undefined
            ? { leftOut: ['containers: the configuration names no engine that accounts share (containers.socket)'] }
            : showDemo(shared, demo, onClose),
      },
    };
  },
});
