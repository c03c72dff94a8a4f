import type { Workers } from './workers.ts';

/** Runs what has the same name one after another, in all workers of the node. */
export async function inTurn<T>(workers: Pick<Workers, 'acquire'>, name: string, work: () => Promise<T>): Promise<T> {
  const release = await workers.acquire(name, 1);
  try {
    return await work();
  } finally {
    release();
  }
}
