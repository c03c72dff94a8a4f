/**
 * Which databases on a shared server belong to an account. Names are compared byte by byte, as the servers do on Linux.
 */
import { byName, type Database } from '../account-databases.ts';

const SYSTEM = new Set(['information_schema', 'mysql', 'performance_schema', 'sys']);

export interface Grant {
  /** Name of a database user, from any host. */
  readonly user: string;
  /** A database name, or with `isPattern` a pattern of `mysql.db`. */
  readonly name: string;
  readonly isPattern: boolean;
}

/** The databases of a server, indexed so that finding one account's does not scan all. */
export class ServerCatalogue {
  readonly system: readonly Database[];
  /** All others, sorted by name. */
  readonly others: readonly Database[];
  /** By the part of the name before the first underscore. */
  readonly #byHead = new Map<string, Database[]>();
  readonly #byName: ReadonlyMap<string, Database>;
  readonly #grants = new Map<string, Grant[]>();

  constructor(databases: readonly Database[], grants: readonly Grant[] = []) {
    const sorted = databases.toSorted(byName);
    this.system = sorted.filter(({ name }) => SYSTEM.has(name));
    this.others = sorted.filter(({ name }) => !SYSTEM.has(name));
    this.#byName = new Map(this.others.map((database) => [database.name, database]));
    for (const database of this.others) push(this.#byHead, headOf(database.name), database);
    for (const grant of grants) push(this.#grants, grant.user, grant);
  }

  /** Returns the databases named `<username>_…`. */
  prefixed(username: string): Database[] {
    const prefix = `${username}_`;
    return (this.#byHead.get(headOf(username)) ?? []).filter(({ name }) => name.startsWith(prefix));
  }

  /**
   * Returns the databases on which, or on a table of which, a database user has a privilege. Global privileges do not
   * count.
   */
  granted(user: string): Database[] {
    const found = new Map<string, Database>();
    for (const grant of this.#grants.get(user) ?? [])
      for (const database of this.#matching(grant)) found.set(database.name, database);
    return [...found.values()].toSorted(byName);
  }

  #matching({ name, isPattern }: Grant): Database[] {
    if (!isPattern) return [this.#byName.get(name) ?? []].flat();
    const pattern = patternOf(name);
    return this.others.filter((database) => pattern.test(database.name));
  }
}

/**
 * Whether a name could belong to an account with a longer name: `ann_b_shop` is ann_b's if that account exists, else
 * ann's.
 */
export function isAmbiguous(username: string, { name }: Database): boolean {
  return name.includes('_', username.length + 1);
}

/** Returns the databases that belong to none of the accounts with longer names. */
export function withoutThoseOf(longerUsernames: readonly string[], databases: readonly Database[]): Database[] {
  return databases.filter(({ name }) => !longerUsernames.some((username) => name.startsWith(`${username}_`)));
}

/**
 * Translates a pattern of `mysql.db`: `%` is any text, and `\` quotes the next character. An underscore stands for
 * itself, although the servers take it for any character: in the usual grant on `ann_%` it is meant so, and otherwise
 * `annab_x` would be ann's.
 */
export function patternOf(name: string): RegExp {
  const literal = (text: string) => `\\u{${(text.codePointAt(0) ?? 0).toString(16)}}`;
  const source = name.replace(/\\?./gsu, (text) =>
    text === '%' ? '.*' : literal(text.length > 1 && text.startsWith('\\') ? text.slice(1) : text),
  );
  return new RegExp(`^${source}$`, 'su');
}

function headOf(name: string): string {
  return name.split('_', 1)[0] ?? '';
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
