import { setTimeout as delay } from 'node:timers/promises';
import type { Host } from '../../../kernel/contract/plugin.ts';
import { closedMover, IN_FORCE_MS, type MovePart } from '../../../kernel/contract/points/move-part.ts';
import { provision } from '../missing.ts';
import type { ServiceVerbs } from '../programs/service-verbs.ts';
import type { Recipe } from '../recipes.ts';
import { listServices } from '../store.ts';
import { StoredData } from './stored-data.ts';

/**
 * Ends an account's services while the last of its files goes to another node, which starts them by what is stored; what they have
 * stored themselves is copied once they have ended.
 */
export function movePart(
  host: Pick<Host, 'store' | 'jobs'>,
  recipes: ReadonlyMap<string, Recipe>,
  verbs: ServiceVerbs,
): MovePart {
  const stored = new StoredData(host, verbs, (service) => recipes.get(service)?.title ?? service);
  const mover = closedMover({
    end: ({ id }) => verbs.end(id),
    isServed: async ({ id }) => (await verbs.running(id)).length > 0,
    what: 'services',
    discard: ({ id }) => verbs.discard({ accountId: id, service: null }),
  });
  return {
    obstacles: () => [],
    leftToDo: async ({ id }, node) =>
      [...(await listServices(host.store, id))].flatMap((service) => {
        const recipe = recipes.get(service);
        if (recipe === undefined) return [];
        const isStoring = 'image' in recipe.run && recipe.run.storage !== '';
        const waits = isStoring ? '; until then, what it has stored waits there' : '';
        return [`see that ${node} has ${recipe.title} (${provision(recipe)})${waits}`];
      }),
    mover: {
      ...mover,
      leave: (account, link) => {
        const leaving = mover.leave(account, link);
        let endedAt = 0;
        return {
          ...leaving,
          begin: () => stored.announce(account, link),
          async close() {
            const running = await verbs.running(account.id);
            for (const program of running) await verbs.stop(program); // so that they store all
            if (running.length > 0) await delay(IN_FORCE_MS, undefined, { signal: link.signal }); // or they are started again
            await leaving.close();
            endedAt = await stored.send(account, link);
          },
          async assertClosed() {
            await leaving.assertClosed();
            await stored.assertUnchanged(account, link.signal, endedAt);
          },
        };
      },
      remove: async (account, isForced) => {
        await mover.remove(account, isForced);
        await verbs.discard({ accountId: account.id, service: null });
      },
      arrive: (arrival) => stored.arrive(arrival),
    },
  };
}
