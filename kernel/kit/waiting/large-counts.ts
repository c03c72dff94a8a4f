import { atMost, LRUCache } from './bounded-cache.ts';

/** From this number on, counting takes longer than reading the page that shows the number. */
const LARGE = 10_000;
const REMEMBERED_MS = 10_000;
/** How many different counts are cached. */
const KEPT = 100;

/** Counts rows. Caches counts from 10,000 on for ten seconds, by a text that says what was counted. */
export class LargeCounts {
  readonly #counts = new LRUCache<string, number | Readonly<Record<string, number>>>({
    ...atMost(KEPT),
    ttl: REMEMBERED_MS,
  });

  /** Resolves with the number, or with the numbers by name, that `count` resolves with or did lately. */
  async of<T extends number | Readonly<Record<string, number>>>(which: string, count: () => Promise<T>): Promise<T> {
    const remembered = this.#counts.get(which);
    if (remembered !== undefined) return remembered as T;
    const counted = await count();
    const total = typeof counted === 'number' ? counted : Object.values(counted).reduce((sum, each) => sum + each, 0);
    if (total >= LARGE) this.#counts.set(which, counted);
    return counted;
  }
}
