import type { Host } from '../../kernel/contract/plugin.ts';
import type { MovePart } from '../../kernel/contract/points/move-part.ts';
import { fail as refuse } from '../../kernel/errors.ts';
import type { ServiceVerbs } from './programs/service-programs.ts';
import type { Recipe } from './recipes.ts';
import { listServices } from './store.ts';

/** Ends an account's services while the last of its files goes to another node, which starts them by what is stored. */
export function movePart(
  { store }: Pick<Host, 'store'>,
  recipes: ReadonlyMap<string, Recipe>,
  verbs: ServiceVerbs,
): MovePart {
  const nothing = async () => undefined;
  return {
    obstacles: () => [],
    leftToDo: async ({ id }, node) =>
      [...(await listServices(store, id))].flatMap((service) => {
        const recipe = recipes.get(service);
        return recipe === undefined
          ? []
          : [`see that ${node} has ${recipe.title} (apt-get install ${recipe.run.package})`];
      }),
    mover: {
      leave: ({ id }) => ({
        begin: nothing,
        copy: nothing,
        close: async () => void (await verbs.end(id)),
        assertClosed: async () => {
          if ((await verbs.running(null)).some(({ accountId }) => accountId === id))
            throw new Error('its services were started again');
        },
        end: nothing,
      }),
      reopen: nothing, // the reconciliation starts them
      remove: async ({ id }) => void (await verbs.end(id)),
      arrive: async () => {
        throw refuse.invalid_request('nothing of services is sent');
      },
      discard: nothing,
    },
  };
}
