import { definePlugin } from '../../kernel/contract/plugin.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import type { AccountMaker } from '../../kernel/areas/archives/account-maker.ts';
import { unfinishedImports } from './unfinished.ts';

/** One account as one archive; see `commands.ts`. */
export default definePlugin({
  name: 'account-archives',
  description: 'Accounts that leave for another installation as an archive, and come from one.',
  features: [],
  errors: fail,
  events,
  routes: {},
  async setup(host) {
    const { store, node, log } = host;
    if (node.isServing)
      await node.onLeader(async () => {
        for (const unfinished of await unfinishedImports(store)) log.warn(unfinished);
      });
    return {
      handlers: {},
      service: {
        make: async (...args) => (await import('./making.ts')).makeAccount(host, ...args), // for which few servers have a use
        unmake: async (...args) => (await import('./unmaking.ts')).unmake(host, ...args),
      } satisfies AccountMaker,
      provides: {
        doctor: async () => {
          const name = 'imports';
          const unfinished = await unfinishedImports(store);
          if (unfinished.length === 0) return [{ name, ok: true, detail: 'no import of an account was interrupted' }];
          const remedy = 'remove and purge these accounts, and import them again';
          return [{ name, ok: false, isWarning: true, detail: unfinished.join('; '), remedy }];
        },
      },
    };
  },
});
