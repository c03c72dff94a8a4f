import { Semaphores } from './semaphores.ts';
import type { Workers } from './workers.ts';

/** Returns the workers of a process without others, whose semaphores are its own. */
export function soleWorker(): Workers {
  const semaphores = new Semaphores();
  const nothing = () => () => undefined;
  return {
    count: 1,
    number: 1,
    perWorker: (number) => number,
    acquire: (name, most) => semaphores.acquire(name, most),
    publish: () => undefined,
    subscribe: nothing,
    query: async () => [],
    respond: nothing,
  };
}
