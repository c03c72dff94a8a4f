import type { Account } from '../../kernel/identity/accounts/account.ts';
import { errorMessage, Unavailable } from '../../kernel/errors.ts';
import { revalidated } from '../../kernel/areas/etag-reply.ts';
import { definePlugin, type Host } from '../../kernel/contract/plugin.ts';
import type { JobOwner } from '../../kernel/kit/jobs/job.ts';
import { IDLE } from '../../kernel/contract/points/account-report.ts';
import { SERVICE_LABEL } from '../../kernel/areas/containers.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { cgroupFinding, EngineMonitor, engineMetrics, remedyFor } from './engine-monitor.ts';
import { readLabel } from './engine/container.ts';
import { QUESTIONS_AT_ONCE } from './engine/engine-client.ts';
import { KnownEngines } from './engine/known-engines.ts';
import { AccountContainers } from './account-containers.ts';
import { fail, unavailable } from './errors.ts';
import { findPossessions, purgeContainers } from './purge.ts';
import { ContainersConfig, ContainerStats, DiskUsage } from './schema.ts';
import { CgroupReader } from './stats/cgroup-reader.ts';

/** Delay of the process that speaks with the shared engine, so that it does not slow down the start. */
const PRELOAD_MS = 500;
/** The process of the shared engine stays; those of accounts' own engines end when nobody polls. */
const SHARED = {
  name: 'engine',
  processes: 1,
  idleMs: 86_400_000,
  limits: { memoryMib: 512, replyMib: 32 },
  bare: { user: undefined },
};
const OWN = { name: 'own engines', idleMs: 15_000, isResident: true, limits: { memoryMib: 192, replyMib: 4 } };

/** A new account of the same name would use the engine. */
const OWN_ENGINE = {
  what: 'containers',
  removed: 0,
  problem: 'the account has an engine of its own: stop it, and remove its entry from containers.sockets',
};

const features = ['docker'];

/** Returns a function that looks up an account, which may be another one of the same name later, as an owner of jobs. */
function accountNamed(username: string, { accounts }: Host['identity'], jobs: Host['jobs']): () => Promise<JobOwner> {
  let id: number | undefined;
  return async () => {
    const known = id === undefined ? undefined : await accounts.byId(id);
    const account = known ?? (await accounts.get(username));
    id = account.id;
    return jobs.ownerOf(account, { opensNothing: true });
  };
}

export default definePlugin({
  name: 'containers',
  description: "Resource and disk usage of the account's containers.",
  errors: fail,
  features,
  config: ContainersConfig,
  routes: {
    stats: {
      method: 'GET',
      path: '/api/docker_stats',
      at: 'home',
      summary: "Get the total resource usage of the account's running containers",
      description: 'Sampled in the background while it is requested.',
      reply: ContainerStats,
      errors: ['containers_unavailable'],
    },
    df: {
      method: 'GET',
      path: '/api/container/df',
      at: 'home',
      summary: "Get the disk usage of the account's containers, images and volumes",
      description:
        'What `docker system df -v` prints, limited to the account. Sizes are measured seldom, because the ' +
        'engine walks all of its files for them.',
      headers: ['if-none-match'],
      reply: DiskUsage,
      errors: ['containers_unavailable'],
    },
  },
  setup({ config, identity, jobs, local, log, node, onClose }) {
    if (config.socket === '' && Object.keys(config.sockets).length === 0)
      throw new Unavailable('no container engine is configured', 'set containers.socket or containers.sockets');
    const cgroups = new CgroupReader();
    const options = { timeoutMs: config.timeout_ms, keepUsageMs: config.df_seconds * 1000, cgroups, log };
    const sharedPool = jobs.open({ ...SHARED, atOnce: QUESTIONS_AT_ONCE });
    const ownPool = jobs.open({ ...OWN, atOnce: QUESTIONS_AT_ONCE, processes: config.own_engines_at_once });
    const known = new KnownEngines(local);
    const remember = () => {
      known.add(config.socket).catch((error: unknown) => log.warn({ err: error }, 'an engine cannot be remembered'));
    };
    const shared =
      config.socket === ''
        ? undefined
        : new EngineMonitor({
            ...{ ...options, pool: sharedPool, socketPath: config.socket, ownBeside: null },
            onFirstAnswer: remember,
          });
    const own = new Map(
      Object.entries(config.sockets).map(([username, socketPath]) => [
        username,
        new EngineMonitor({
          ...options,
          pool: ownPool,
          owner: accountNamed(username, identity, jobs),
          socketPath,
          ownBeside: config.socket,
        }),
      ]),
    );
    const monitors = [...(shared ? [shared] : []), ...own.values()];
    // asked again by the first who needs it, who is told
    const preloading = setTimeout(() => void shared?.engine.preload().catch(() => undefined), PRELOAD_MS).unref();
    onClose(async () => {
      clearTimeout(preloading);
      for (const monitor of monitors) monitor.close();
      await Promise.all([sharedPool.close(), ownPool.close()]);
    });
    /** Throws 503 for an account without an engine, rather than showing it another account's. */
    const monitorOf = ({ username }: Account): EngineMonitor => {
      const monitor = own.get(username) ?? shared;
      if (monitor === undefined) throw unavailable(undefined, 'the account has no container engine');
      return monitor;
    };
    /** Without any engine a node can do its work, unless the operator has named one. */
    const isNamed = Object.hasOwn((node.config.sections['containers'] ?? {}) as object, 'socket');
    const isMissing = async ({ engine }: EngineMonitor) => !isNamed && (await known.neverWas(engine));
    const proofOf = async (monitor: EngineMonitor): Promise<Finding[]> => {
      const found = await monitor.finding();
      if (found.ok) return monitor === shared ? [found, await monitor.proof()] : [found];
      return [{ ...found, isWarning: monitor === shared && (await isMissing(monitor)) }];
    };
    return {
      handlers: {
        stats: ({ account }) => monitorOf(account).sampler.poll(account),
        df: (call) => revalidated(monitorOf(call.account).diskUsage(call.account), call),
      },
      service: new AccountContainers(({ username }) => own.get(username) ?? shared),
      provides: {
        // the processes of an account's own engine run as the account
        accountsLoad: async (accounts) =>
          shared === undefined || (await isMissing(shared))
            ? new Map(accounts.map(({ id }) => [id, IDLE]))
            : shared.loads(accounts),
        doctor: async () => [...(await Promise.all(monitors.map(proofOf))).flat(), await cgroupFinding(cgroups)],
        // an account's own engine is the account's to start and to stop
        health: async () => (shared === undefined ? [] : [await shared.health(own.size === 0 ? features : [])]),
        move: () => ({
          async obstacles(account) {
            if (own.has(account.username)) return ['it has a container engine of its own'];
            if (shared === undefined || (await isMissing(shared))) return [];
            const { containers, volumes, doubtful } = await findPossessions(shared.engine, account);
            const staying = containers.filter(({ labels }) => readLabel(labels, SERVICE_LABEL) === undefined);
            const names = [...staying.map(({ names: [name], id }) => name ?? id), ...volumes, ...doubtful];
            return names.length === 0 ? [] : [`it has containers or volumes: ${names.join(', ')}`];
          },
        }),
        purge: async (account, signal) => {
          if (own.has(account.username)) return [OWN_ENGINE];
          if (shared === undefined || (await isMissing(shared))) return [];
          return purgeContainers(shared.engine, account, signal).catch((error: unknown) => {
            const why = errorMessage(error);
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
