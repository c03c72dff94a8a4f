/** SQLite files of a plugin's own, outside the store. */
export { Store as StoreFile } from '../storage/store.ts';
