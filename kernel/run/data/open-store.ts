import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/configuration.ts';
import { errorMessage } from '../../errors.ts';
import { importDefault, pluginsWith } from '../../kit/files/plugin-files.ts';
import { SignalFile } from '../../store/signal-file.ts';
import type { StoreEngine, Store } from '../../store/store.ts';
import { SqliteEngine } from '../../store/sqlite/sqlite-engine.ts';

/** One process of a node listens for all. */
const LISTENER = 1;

interface OpenOptions {
  /** Where a store in a file is. */
  readonly file?: string;
  /** Returns this process's part of the connections that the node may have; all, unless given. */
  readonly share?: (connections: number) => number;
}

/**
 * Opens the store that the settings name: a database that a plugin opens, or a file, by default that in the data folder, which is
 * created if it is missing. Rejects, with the reason, if the database cannot be reached.
 */
export async function openStore(
  data: string,
  { url, password, stale_seconds, statement_seconds, connections }: Config['store'],
  { file = join(data, 'hostkeep.db'), share = (all) => all }: OpenOptions = {},
): Promise<Store> {
  if (url === '') return SqliteEngine.open(file);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const engine = await findEngine(url);
  const store = engine.open({
    url,
    password,
    connections: share(connections - LISTENER),
    graceMs: stale_seconds * 1000,
    statementMs: statement_seconds * 1000,
    signal: new SignalFile(join(data, 'revision')),
  });
  try {
    await store.examine();
    return store;
  } catch (error) {
    await store.close();
    const reason =
      error instanceof Error && error.cause !== undefined ? errorMessage(error.cause) : errorMessage(error);
    throw new Error(`the store at ${store.place} cannot be opened: ${reason}`, { cause: error });
  }
}

/** Imports engines only where one is used: their libraries take memory. */
async function findEngine(url: string): Promise<StoreEngine> {
  const protocol = url.slice(0, url.indexOf(':') + 1);
  for (const plugin of pluginsWith('engine')) {
    const engine = await importDefault<StoreEngine>(plugin, 'engine');
    if (engine?.protocols.includes(protocol) === true) return engine;
  }
  throw new Error(`store.url begins with ${protocol}, and no plugin that is installed opens such a database`);
}
