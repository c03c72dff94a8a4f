/**
 * Which databases on a shared server belong to an account. Names are compared byte by byte, as the servers do on Linux.
 */
import { byName, type Database } from '../account-databases.ts';
import { GrantPattern } from './grant-pattern.ts';

const SYSTEM = new Set(['information_schema', 'mysql', 'performance_schema', 'sys']);

/** How the listing knows sizes: from InnoDB's own list of files, or not at all. */
export type SizeMethod = 'files' | 'estimates';

/** A database as the listing shows it: its size is that of InnoDB's files only. */
export interface ListedDatabase extends Database {
  /** How the listing knows sizes. */
  readonly method: SizeMethod;
  /** Number of tables and views whose sizes it does not show. */
  readonly toOpen: number;
  /** Whether tables of it are in the files that all databases share. */
  readonly isInSharedSpace: boolean;
}

export interface Grant {
  /** Name of a database user, from any host. */
  readonly user: string;
  /** A database name, or with `isPattern` a pattern of `mysql.db`. */
  readonly name: string;
  readonly isPattern: boolean;
}

/** The databases of a server, indexed so that finding one account's does not scan all. */
export class ServerCatalogue<D extends Database> {
  readonly system: readonly D[];
  /** All others, sorted by name. */
  readonly others: readonly D[];
  /** By the part of the name before the first underscore. */
  readonly #byHead = new Map<string, D[]>();
  readonly #byName: ReadonlyMap<string, D>;
  readonly #grants = new Map<string, Grant[]>();

  constructor(databases: readonly D[], grants: readonly Grant[] = []) {
    const sorted = databases.toSorted(byName);
    this.system = sorted.filter(({ name }) => SYSTEM.has(name));
    this.others = sorted.filter(({ name }) => !SYSTEM.has(name));
    this.#byName = new Map(this.others.map((database) => [database.name, database]));
    for (const database of this.others) push(this.#byHead, headOf(database.name), database);
    for (const grant of grants) push(this.#grants, grant.user, grant);
  }

  /** Returns the databases named `<username>_…`. */
  prefixed(username: string): D[] {
    const prefix = `${username}_`;
    return (this.#byHead.get(headOf(username)) ?? []).filter(({ name }) => name.startsWith(prefix));
  }

  /**
   * Returns the databases on which, or on a table of which, a database user has a privilege. Global privileges do not
   * count.
   */
  granted(user: string): D[] {
    const found = new Map<string, D>();
    for (const grant of this.#grants.get(user) ?? [])
      for (const database of this.#matching(grant)) found.set(database.name, database);
    return [...found.values()].toSorted(byName);
  }

  #matching({ name, isPattern }: Grant): D[] {
    if (!isPattern) {
      const database = this.#byName.get(name);
      return database === undefined ? [] : [database];
    }
    const pattern = new GrantPattern(name);
    return this.#startingWith(pattern.prefix).filter((database) => pattern.matches(database.name));
  }

  #startingWith(prefix: string): readonly D[] {
    const first = this.#firstFrom(prefix);
    let end = first;
    while (this.others[end]?.name.startsWith(prefix) === true) end += 1;
    return this.others.slice(first, end);
  }

  /** Returns the index of the first database whose name is not before the text. */
  #firstFrom(text: string): number {
    let [low, high] = [0, this.others.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.others[middle]?.name ?? '') < text) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Whether a name could belong to an account with a longer name: `ann_b_shop` is ann_b's if that account exists, else
 * ann's.
 */
export function isAmbiguous(username: string, { name }: Pick<Database, 'name'>): boolean {
  return name.includes('_', username.length + 1);
}

/** Returns the databases that belong to none of the accounts with longer names. */
export function withoutLongerNames<D extends Database>(
  longerUsernames: readonly string[],
  databases: readonly D[],
): D[] {
  return databases.filter(({ name }) => !longerUsernames.some((username) => name.startsWith(`${username}_`)));
}

function headOf(name: string): string {
  return name.split('_', 1)[0] ?? '';
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
