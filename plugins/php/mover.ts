import type { Host } from '../../kernel/contract/plugin.ts';
import type { MovePart } from '../../kernel/contract/points/move-part.ts';
import { fail as refuse } from '../../kernel/errors.ts';
import type { PhpVerbs } from './pools/php-pools.ts';
import { listVersions } from './store.ts';

/** Ends an account's scripts while the last of its files goes to another node, which starts them by what is stored. */
export function movePart({ store }: Pick<Host, 'store'>, verbs: PhpVerbs): MovePart {
  const nothing = async () => undefined;
  return {
    obstacles: () => [],
    leftToDo: async ({ id }, node) => {
      const versions = await listVersions(store, id);
      return versions.map((version) => `see that ${node} has PHP ${version} (apt-get install php${version}-fpm)`);
    },
    mover: {
      leave: ({ id }) => ({
        begin: nothing,
        copy: nothing,
        close: async () => void (await verbs.end(id)),
        assertClosed: async () => {
          if ((await verbs.running(null)).some(({ accountId }) => accountId === id))
            throw new Error('its scripts were started again');
        },
        end: nothing,
      }),
      reopen: nothing, // the reconciliation starts them
      remove: async ({ id }) => void (await verbs.end(id)),
      arrive: async () => {
        throw refuse.invalid_request('nothing of PHP is sent');
      },
      discard: nothing,
    },
  };
}
