/** A plugin's own SQLite file, outside the store. */
export { Store as StoreFile } from '../store/store.ts';
