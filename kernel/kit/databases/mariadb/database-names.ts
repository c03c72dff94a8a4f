import { atMost, LRUCache } from '../../waiting/bounded-cache.ts';

interface Client {
  query<T>(sql: string, params?: readonly string[]): Promise<T[]>;
}
interface Found {
  readonly made: string;
  readonly names: readonly string[];
}

/** How many lists are kept of a server. */
const LISTS = 1000;
/** The server counts a statement when it begins, but the database of one that waits for a lock is there later. */
const KEPT_MS = 60_000;
/** To look up more names takes longer than to list them. */
const LOOKED_UP = 300;
const MADE = "show global status like 'Com\\_create\\_db'";
const BY_NAME = 'select schema_name from information_schema.schemata where schema_name = ?';

/** Names of the databases of one server. To list some, it looks at the folders of all, but it knows one by its name. */
export class DatabaseNames {
  readonly #kept = new LRUCache<string, Found>({ ...atMost(LISTS), ttl: KEPT_MS });

  /** Resolves with those like a pattern. They are listed anew when the server was told to make a database since. */
  async like(client: Client, pattern: string): Promise<readonly string[]> {
    const [row] = await client.query<{ Value: string }>(MADE);
    const made = row?.Value;
    const kept = this.#kept.get(pattern);
    if (kept !== undefined && kept.made === made) return this.among(client, kept.names);
    const names = await namesFrom(client, 'show databases like ?', [pattern]);
    if (made !== undefined && names.length <= LOOKED_UP) this.#kept.set(pattern, { made, names });
    return names;
  }

  /** Resolves with those of some names that there are. Asks the server without a name, too. */
  among(client: Client, names: readonly string[]): Promise<string[]> {
    const sought = ['', ...names];
    return namesFrom(client, sought.map(() => BY_NAME).join(' union all '), sought);
  }
}

const kept = new WeakMap<object, DatabaseNames>();

/** Returns those that this process remembers of a server, which is known by its settings. */
export function rememberedNames(server: object): DatabaseNames {
  const names = kept.get(server) ?? new DatabaseNames();
  kept.set(server, names);
  return names;
}

async function namesFrom(client: Client, sql: string, params: readonly string[]): Promise<string[]> {
  return (await client.query<Record<string, string>>(sql, params)).flatMap((row) => Object.values(row));
}
