import { withDeadline } from '../../kernel/kit/waiting/deadline.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { NamedObject, Type } from '../../kernel/schema.ts';
import { diskFinding, isFull, watchDisk } from './disk.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';

const STORE_MS = 2000;
const probe = { method: 'GET', address: 'both', access: 'guest' } as const;

/** Says to proxies and supervisors whether the server lives and is ready; everybody may ask, so it says nothing more. */
export default definePlugin({
  name: 'health',
  description: 'For proxies and supervisors: whether the server lives and is ready.',
  features: [],
  errors: fail,
  events,
  routes: {
    live: {
      ...probe,
      path: '/healthz',
      summary: 'Ask whether the server answers at all',
      description: 'For supervisors, which restart a server that does not answer.',
      reply: NamedObject('Liveness', { status: Type.Literal('ok') }),
    },
    ready: {
      ...probe,
      path: '/readyz',
      summary: 'Ask whether the server is ready for requests',
      description:
        'It is not while it is stopping, while its store does not answer, or while the disk with its data is full.',
      reply: NamedObject('Readiness', { status: Type.Literal('ready') }),
      errors: ['not_ready'],
    },
  },
  async setup(host) {
    const { node, identity } = host;
    await node.onLeader(() => watchDisk(host));
    const ask = async () => {
      try {
        await withDeadline(identity.accounts.count('admin'), STORE_MS);
        if (await isFull(node.config.data)) throw new Error('the disk with the data folder is full');
      } catch (cause) {
        throw fail.not_ready('try again later', { cause });
      }
    };
    let asking: Promise<void> | undefined;
    return {
      handlers: {
        live: () => ({ status: 'ok' }) as const,
        /** The address is opened after all plugins are set up. Probes at the same time share one question to the store. */
        ready: async () => {
          if (node.isStopping()) throw fail.not_ready('try again later');
          await (asking ??= ask().finally(() => (asking = undefined)));
          return { status: 'ready' } as const;
        },
      },
      provides: {
        doctor: async () => [await diskFinding(node.config.data)],
        health: async () => [await diskFinding(node.config.data)].filter(({ isWarning }) => isWarning !== true),
      },
    };
  },
});
