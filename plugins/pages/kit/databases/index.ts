/** Pages of databases that customers manage, of whichever kind. */
export { LEVELS, type DatabaseEngine, type Level } from './engine.ts';
export { ManagedDatabases } from './managed-databases.tsx';
