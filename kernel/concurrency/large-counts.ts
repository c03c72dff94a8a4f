import { atMost, LRUCache } from './bounded-cache.ts';

/** From this on, counting takes longer than reading the page that shows the number. */
const LARGE = 10_000;
const REMEMBERED_MS = 10_000;
/** Filters that somebody asks for within that time. */
const KEPT = 100;

/** Numbers of rows, by a text that says of which. Those from 10,000 on may be up to ten seconds old. */
export class LargeCounts {
  readonly #counts = new LRUCache<string, number | Readonly<Record<string, number>>>({
    ...atMost(KEPT),
    ttl: REMEMBERED_MS,
  });

  /** Resolves with the number that `count` returns, or with the sums that it returns by name. */
  async of<T extends number | Readonly<Record<string, number>>>(which: string, count: () => Promise<T>): Promise<T> {
    const remembered = this.#counts.get(which);
    if (remembered !== undefined) return remembered as T;
    const counted = await count();
    const total = typeof counted === 'number' ? counted : Object.values(counted).reduce((sum, each) => sum + each, 0);
    if (total >= LARGE) this.#counts.set(which, counted);
    return counted;
  }
}
