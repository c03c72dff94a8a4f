import { definePlugin, type Host } from '../../kernel/contract/plugin.ts';
import type { ContainerChange, Containers, ListedContainer, OwnContainer } from '../../kernel/areas/containers.ts';
import { SharedCounter } from '../../kernel/contract/workers.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { Type } from '../../kernel/schema.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { current, history } from './figures.ts';
import { assertAllowed, limitsIn, mostFor } from './limits.ts';
import { LogDownloads } from './log-downloads.ts';
import { LogFollowers } from './log-followers.ts';
import * as schema from './schema.ts';

/** How often the engine is asked for new lines of a log that somebody follows. */
const FOLLOW_MS = 1000;
/** The feature is that of the plugin `containers`, which knows the engines. */
const shared = { at: 'home', feature: { any: [], all: ['docker'] } } as const;
const UNAVAILABLE = 'containers_unavailable';
const changing = {
  ...shared,
  params: schema.ContainerParams,
  reply: schema.Changed,
  errors: ['container_not_found', 'container_change_refused', UNAVAILABLE],
} as const;
const PAST = { start: 'started', stop: 'stopped', restart: 'restarted', remove: 'removed' } as const;
/** The last second of the year 9999: an engine may send any number. */
const LAST_SECOND = 253_402_300_799;

export default definePlugin({
  name: 'container-control',
  description: "The account's containers one by one: state, logs, start, stop, restart, remove.",
  features: [],
  errors: fail,
  events,
  uses: ['containers'],
  routes: {
    list: {
      ...shared,
      method: 'GET',
      path: '/api/docker-containers',
      summary: "List the account's containers",
      description:
        'Those that do not run included. GET /api/container/df has their sizes, GET /api/docker_stats their usage.',
      reply: schema.ContainerList,
      errors: [UNAVAILABLE],
    },
    details: {
      ...shared,
      method: 'GET',
      path: '/api/docker-containers/:id',
      summary: 'Get a container with its limits, health and environment',
      description:
        'Values of the environment that may be secret are hidden: by their names, or as URLs with a password.',
      params: schema.ContainerParams,
      reply: schema.ContainerView,
      errors: ['container_not_found', UNAVAILABLE],
    },
    figures: {
      ...shared,
      method: 'GET',
      path: '/api/docker-figures',
      summary: "Get the current usage of each of the account's running containers",
      description: 'Sampled in the background while it is requested, together with GET /api/docker_stats.',
      reply: schema.FiguresList,
      errors: [UNAVAILABLE],
    },
    history: {
      ...shared,
      method: 'GET',
      path: '/api/docker-containers/:id/figures',
      summary: 'Get the current usage of a container, and its course',
      description:
        'A sample is taken every two seconds while somebody asks for figures of the account, and forgotten ten seconds after the last ' +
        'request. Each process of the service has samples of its own.',
      params: schema.ContainerParams,
      reply: schema.ContainerHistory,
      errors: ['container_not_found', UNAVAILABLE],
    },
    start: {
      ...changing,
      method: 'POST',
      path: '/api/docker-containers/:id/start',
      summary: 'Start a container',
      description: 'One that runs already stays as it is.',
    },
    stop: {
      ...changing,
      method: 'POST',
      path: '/api/docker-containers/:id/stop',
      summary: 'Stop a container',
      description: 'One that does not end by itself within ten seconds is killed.',
    },
    restart: {
      ...changing,
      method: 'POST',
      path: '/api/docker-containers/:id/restart',
      summary: 'Stop a container and start it again',
      description: 'One that does not end by itself within ten seconds is killed. One that does not run is started.',
    },
    limit: {
      ...changing,
      method: 'PATCH',
      path: '/api/docker-containers/:id/limits',
      summary: 'Change the limits of a container',
      description:
        'They hold at once, also while it runs, up to those that the plan has for a container. Swap counts as memory. A container that ' +
        'needs more memory than it may have is ended, or the change is refused.',
      body: schema.NewLimits,
      errors: ['container_limit_reached', ...changing.errors],
    },
    remove: {
      ...changing,
      method: 'DELETE',
      path: '/api/docker-containers/:id',
      summary: 'Remove a container that does not run',
      description: 'Its files and its volumes without a name go with it; named volumes stay.',
    },
    log: {
      ...shared,
      method: 'GET',
      path: '/api/docker-containers/:id/logs',
      summary: 'Get the newest lines of the log of a container',
      description:
        'Fewer than were asked for where lines are so long that the answer would be too large. A text is looked for in the newest ' +
        '20,000 lines.',
      params: schema.ContainerParams,
      query: schema.LogQuery,
      reply: schema.ContainerLog,
      errors: ['container_not_found', UNAVAILABLE],
    },
    follow: {
      ...shared,
      method: 'GET',
      path: '/api/docker-containers/:id/logs/stream',
      summary: 'Follow the log of a container, as server-sent events',
      description:
        'Begins with the newest hundred lines, or the newest thousand of those that are asked for, and goes on while the container ' +
        'is stopped or started again. Each event `line` holds what the log has.',
      params: schema.ContainerParams,
      query: schema.WantedLines,
      reply: Type.String(),
      produces: ['text/event-stream'],
      errors: ['container_not_found', 'overloaded', UNAVAILABLE],
    },
    download: {
      ...shared,
      method: 'GET',
      path: '/api/docker-containers/:id/logs/download',
      summary: 'Download the log of a container',
      description: 'All that the engine keeps, each line with its time, in the order in which the engine has them.',
      params: schema.ContainerParams,
      query: schema.WantedLines,
      reply: Type.String(),
      produces: ['text/plain'],
      errors: ['container_not_found', 'overloaded', UNAVAILABLE],
    },
  },
  setup(host) {
    const containers = () => {
      const found = host.peer<Containers>('containers');
      if (found === undefined) throw fail.containers_unavailable('the plugin containers is off or unavailable');
      return found;
    };
    const find = async (account: Account, id: string): Promise<OwnContainer> => {
      const found = await containers().find(account, id);
      if (found === undefined) throw fail.container_not_found(`there is no container ${id}`);
      return found;
    };
    const counter = new SharedCounter(host.workers, 'container logs');
    host.onClose(() => counter.close());
    const followers = new LogFollowers({ counter, everyMs: FOLLOW_MS });
    host.onClose(() => followers.close());
    const downloads = new LogDownloads(host);
    host.onClose(() => downloads.close());
    const change =
      (what: ContainerChange) =>
      async ({ account, params: { id }, ip }: Client & { readonly params: { readonly id: string } }) => {
        await make(host, await find(account, id), { change: what }, { account, ip });
        return { id, changed: true as const };
      };
    return {
      handlers: {
        list: async ({ account }) => ({
          containers: (await containers().all(account)).map(view).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
        }),
        details: async ({ account, params }) => details(await find(account, params.id), account),
        figures: async ({ account }) => current(await containers().figures(account)),
        history: async ({ account, params: { id } }) => {
          const samples = history(await containers().figures(account), id);
          if (samples.length === 0) await find(account, id); // the engine is asked only about one without figures
          return { samples };
        },
        start: change('start'),
        stop: change('stop'),
        restart: change('restart'),
        limit: async ({ account, params: { id }, body, ip }) => {
          const found = await find(account, id);
          assertAllowed(account, body);
          await make(host, found, { change: 'limit', ...limitsIn(body) }, { account, ip });
          return { id, changed: true as const };
        },
        remove: change('remove'),
        log: async ({ account, params, query: { lines, after, text } }) => {
          const found = await (await find(account, params.id)).lines(lines, after, text);
          return { lines: found.slice() };
        },
        follow: async ({ account, params, query }) => followers.open(await find(account, params.id), account, query),
        download: async ({ account, params, query }) => {
          const found = await find(account, params.id);
          return downloads.open(found, account, `${nameOf(found.listed)}.log`, query);
        },
      },
    };
  },
});

interface Client {
  readonly account: Account;
  readonly ip: string;
}

/** Errors: 409 `container_change_refused`, 503 `containers_unavailable`. */
async function make(
  { store, events: log }: Pick<Host, 'store' | 'events'>,
  container: OwnContainer,
  { change, limits, told = '' }: { readonly change: ContainerChange } & Partial<ReturnType<typeof limitsIn>>,
  { account, ip }: Client,
): Promise<void> {
  const refusal = await container.change(change, limits);
  if (refusal !== undefined) throw fail.container_change_refused(refusal);
  const name = nameOf(container.listed);
  const data = { container: name, container_id: container.listed.id };
  const event =
    change === 'limit'
      ? ({
          type: 'container.limited',
          text: `limited the container ${name} to ${told}`,
          data: { ...data, limits: told },
        } as const)
      : ({ type: `container.${PAST[change]}`, text: `${PAST[change]} the container ${name}`, data } as const);
  await store.write((tx) => log.record(tx, { ...event, account, ip }));
}

const nameOf = ({ id, names: [name] }: ListedContainer): string => name ?? id.slice(0, 12);

function view(listed: ListedContainer): schema.OneContainer {
  const { id, image, service, state, status, createdSeconds, ports } = listed;
  return {
    id,
    name: nameOf(listed),
    image,
    service,
    state,
    status,
    created_at: new Date(Math.min(createdSeconds, LAST_SECOND) * 1000).toISOString(),
    ports: ports.map(({ ip, privatePort, publicPort, protocol }) => ({
      ip,
      private_port: privatePort,
      public_port: publicPort,
      protocol,
    })),
  };
}

async function details(container: OwnContainer, account: Account): Promise<schema.ContainerView> {
  const found = await container.details();
  return {
    ...view(container.listed),
    started_at: found.startedAt || null,
    finished_at: found.finishedAt || null,
    exit_code: found.exitCode,
    out_of_memory: found.isOutOfMemory,
    restarts: found.restarts,
    health: found.health,
    memory_bytes: found.memoryBytes,
    processors: found.processors,
    ...mostFor(account),
    environment: [...found.environment],
  };
}
