/** SQLite files: a plugin's own, outside the store, and those of a data folder. */
export { SqliteEngine as StoreFile } from '../store/sqlite/sqlite-engine.ts';
export { faultsIn } from '../store/sqlite/connection.ts';
export { copyDatabase, migrationsIn } from '../store/sqlite/database-file.ts';
