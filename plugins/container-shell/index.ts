import { definePlugin } from '../../kernel/contract/plugin.ts';
import type { Containers, ListedContainer, OwnContainer } from '../../kernel/areas/containers.ts';
import { SharedCounter } from '../../kernel/contract/workers.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { ShellConfig, ShellEnd, ShellParams, ShellsList } from './schema.ts';
import { Shells } from './shells.ts';

/** The plugin `containers` has the other feature, and knows the engines. */
const shared = { method: 'GET', at: 'home', feature: { any: ['container_shell'], all: ['docker'] } } as const;

export default definePlugin({
  name: 'container-shell',
  description: "Shells in the account's containers.",
  features: ['container_shell'],
  errors: fail,
  events,
  uses: ['containers'],
  config: ShellConfig,
  routes: {
    list: {
      ...shared,
      path: '/api/docker-shells',
      summary: 'List the containers in which a shell can be opened',
      reply: ShellsList,
      errors: ['containers_unavailable'],
    },
    // a WebSocket, which descriptions of requests and replies have no words for, and for people, not for programs
    open: {
      ...shared,
      path: '/api/docker-shells/:id',
      summary: 'Open a shell in a container',
      status: 101,
      tokens: 'refused',
      described: false,
      params: ShellParams,
      reply: ShellEnd,
      errors: [
        'container_not_found',
        'container_not_running',
        'container_not_isolated',
        'containers_unavailable',
        'shell_unavailable',
        'overloaded',
      ],
    },
  },
  setup({ config, events: log, jobs, log: lines, onClose, peer, store, workers }) {
    const containers = () => {
      const found = peer<Containers>('containers');
      if (found === undefined) throw fail.containers_unavailable('the plugin containers is off or unavailable');
      return found;
    };
    const counter = new SharedCounter(workers, 'container shells');
    onClose(() => counter.close());
    const shells = new Shells({ jobs, counter, log: lines, idleMs: config.idle_seconds * 1000 });
    onClose(() => shells.close());
    /** The user and group of the account, as which the shell runs; on an engine of its own, which has no other rights, any. */
    const userIn = ({ engine }: OwnContainer, account: Account): string => {
      if (engine.owner !== undefined) return '';
      const { user } = jobs.startOf(jobs.ownerOf(account));
      if (user === null) throw fail.shell_unavailable('accounts have no user ids of their own on this server');
      const uid = user.namesakeUid ?? user.uid;
      return `${uid}:${uid}`;
    };
    return {
      handlers: {
        list: async ({ account }) => ({
          containers: (await containers().running(account))
            .map((listed) => ({ id: listed.id, name: nameIn(listed) }))
            .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
        }),
        open: async ({ account, ip, params: { id } }) => {
          const found = await containers().find(account, id);
          if (found === undefined) throw fail.container_not_found(`there is no container ${id}`);
          const { isIsolated } = await found.details();
          if (!isIsolated) throw fail.container_not_isolated('a shell in it could reach more than the account has');
          if (found.listed.state !== 'running') throw fail.container_not_running('start it, and try again');
          const name = nameIn(found.listed);
          const about = { account, ip };
          const data = { container: name, container_id: id };
          return shells.open(found, {
            account,
            user: userIn(found, account),
            onOpen: () =>
              store.write((tx) => {
                const text = `opened a shell in the container ${name}`;
                return log.record(tx, { ...about, type: 'container.shell_opened', text, data });
              }),
            onClose: (seconds) =>
              store.write((tx) => {
                const text = `closed a shell in the container ${name} after ${seconds} s`;
                return log.record(tx, { ...about, type: 'container.shell_closed', text, data: { ...data, seconds } });
              }),
          });
        },
      },
    };
  },
});

const nameIn = ({ id, names: [name] }: ListedContainer): string => name ?? id.slice(0, 12);
