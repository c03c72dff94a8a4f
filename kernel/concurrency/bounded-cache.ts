/** Caches bounded by count, bytes or age. Plugins import the package from here, so that one folder owns it. */
export { LRUCache } from 'lru-cache';
