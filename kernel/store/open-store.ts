import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/configuration.ts';
import { messageOf } from '../errors.ts';
import type { Store } from './store.ts';
import { SqliteEngine } from './sqlite/sqlite-engine.ts';

/** One process of a node listens for all. */
const LISTENER = 1;

interface OpenOptions {
  /** Where a store in a file is. */
  readonly file?: string;
  /** Returns this process's part of the connections that the node may have; all, unless given. */
  readonly share?: (connections: number) => number;
}

/**
 * Opens the store that the settings name: a database of PostgreSQL, or a file, by default that in the data folder, which is
 * created if it is missing. Rejects, with the reason, if the database cannot be reached.
 */
export async function openStore(
  data: string,
  { url, password, stale_seconds, connections }: Config['store'],
  { file = join(data, 'hostkeep.db'), share = (all) => all }: OpenOptions = {},
): Promise<Store> {
  if (url === '') return SqliteEngine.open(file);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  // Imported only where it is used: the library takes memory.
  const { PostgresEngine } = await import('./postgres/postgres-engine.ts');
  const store = new PostgresEngine({
    url,
    password,
    connections: share(connections - LISTENER),
    graceMs: stale_seconds * 1000,
    signalFile: join(data, 'revision'),
  });
  try {
    await store.examine();
    return store;
  } catch (error) {
    await store.close();
    const reason = error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : messageOf(error);
    throw new Error(`the store at ${store.place} cannot be opened: ${reason}`, { cause: error });
  }
}
