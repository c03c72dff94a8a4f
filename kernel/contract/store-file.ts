/** A plugin's own SQLite file, outside the store. */
export { SqliteEngine as StoreFile } from '../store/sqlite/sqlite-engine.ts';
