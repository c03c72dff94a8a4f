import type { Host } from '../../kernel/contract/plugin.ts';
import { closedMover, type MovePart } from '../../kernel/contract/points/move-part.ts';
import { provision } from './missing.ts';
import type { ServiceVerbs } from './programs/service-verbs.ts';
import type { Recipe } from './recipes.ts';
import { listServices } from './store.ts';

/**
 * Ends an account's services while the last of its files goes to another node, which starts them by what is
 * stored; what they have stored themselves stays behind, and goes.
 */
export function movePart(
  { store }: Pick<Host, 'store'>,
  recipes: ReadonlyMap<string, Recipe>,
  verbs: ServiceVerbs,
): MovePart {
  return {
    obstacles: () => [],
    leftToDo: async ({ id, username }, node) =>
      [...(await listServices(store, id))].flatMap((service) => {
        const recipe = recipes.get(service);
        if (recipe === undefined) return [];
        const lost = `tell ${username} that ${recipe.title} begins empty there, and that sites have to index anew`;
        const isStoring = 'image' in recipe.run && recipe.run.storage !== '';
        return [`see that ${node} has ${recipe.title} (${provision(recipe)})`, ...(isStoring ? [lost] : [])];
      }),
    mover: {
      ...closedMover({
        end: ({ id }) => verbs.end(id),
        isServed: async ({ id }) => (await verbs.running(id)).length > 0,
        what: 'services',
      }),
      remove: async ({ id }) => {
        await verbs.end(id);
        await verbs.discard({ accountId: id, service: null });
      },
    },
  };
}
