import type { Host } from '../../kernel/contract/plugin.ts';
import { closedMover, type MovePart } from '../../kernel/contract/points/move-part.ts';
import type { PhpVerbs } from './pools/php-verbs.ts';
import { listVersions } from './store.ts';

/** Ends an account's scripts while the last of its files goes to another node, which starts them by what is stored. */
export function movePart({ store }: Pick<Host, 'store'>, verbs: PhpVerbs): MovePart {
  return {
    obstacles: () => [],
    leftToDo: async ({ id }, node) => {
      const versions = await listVersions(store, id);
      return versions.map((version) => `see that ${node} has PHP ${version} (apt-get install php${version}-fpm)`);
    },
    mover: closedMover({
      end: ({ id }) => verbs.end(id),
      isServed: async ({ id }) => (await verbs.running(null)).some(({ accountId }) => accountId === id),
      what: 'scripts',
    }),
  };
}
