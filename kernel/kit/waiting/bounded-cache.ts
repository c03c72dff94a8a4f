/** Caches bounded by count, bytes or age. Plugins import the package from here, so that one folder owns it. */
export { LRUCache } from 'lru-cache';

/**
 * Returns the options of a cache with at most `count` entries. With the option `max`, the cache would reserve the memory of
 * all of them when it is made.
 */
export function atMost(count: number): { maxSize: number; sizeCalculation: () => number } {
  return { maxSize: count, sizeCalculation: () => 1 };
}
