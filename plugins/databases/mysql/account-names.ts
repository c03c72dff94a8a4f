import { quotedInPattern } from '../../../kernel/kit/databases/mysql-text.ts';
import type { DatabaseClient, OwnGrant, OwnNames, RightHolder } from '../../../kernel/areas/database-servers.ts';
import { GrantPattern } from './grant-pattern.ts';

/** See `OwnNames`. */
export class AccountNames implements OwnNames {
  readonly databases: readonly string[];
  readonly prefix: string;
  /** Beginnings that are those of accounts with longer names. */
  readonly #others: readonly string[];

  constructor(databases: readonly string[], prefix = '', others: readonly string[] = []) {
    this.databases = databases;
    this.prefix = prefix;
    this.#others = others;
  }

  allows(name: string): boolean {
    return name.startsWith(this.prefix) && !this.#others.some((other) => name.startsWith(other));
  }

  readGrant(text: string, isPattern: boolean, all: readonly string[]): OwnGrant {
    const pattern = new GrantPattern(isPattern ? text : quotedInPattern(text));
    const databases = this.databases.filter((name) => pattern.matches(name));
    const patterns = this.#patternsFor(pattern, all);
    if (patterns !== undefined) return { isConcerned: true, databases, patterns };
    return { isConcerned: databases.length > 0, databases };
  }

  async usersIn(client: DatabaseClient): Promise<RightHolder[]> {
    const schemata = await client.query<{ name: string }>(
      'select schema_name as name from information_schema.schemata',
    );
    const all = schemata.map(({ name }) => name);
    const grants = await client.query<Record<'name' | 'host' | 'db', string> & { isPattern: number }>(
      `select user as name, host, db, 1 as isPattern from mysql.db
        union select user, host, db, 0 from mysql.tables_priv
        union select user, host, db, 0 from mysql.columns_priv union select user, host, db, 0 from mysql.procs_priv`,
    );
    const users = new Map<string, { readonly holder: RightHolder; readonly isConcerned: boolean }>();
    for (const { name, host, db, isPattern } of grants) {
      const { isConcerned, patterns } = this.readGrant(db, isPattern === 1, all);
      const before = users.get(`${name}\0${host}`);
      const isOwn = patterns !== undefined && before?.holder.isOwn !== false;
      const holder = { name, host, isOwn };
      users.set(`${name}\0${host}`, { holder, isConcerned: isConcerned || before?.isConcerned === true });
    }
    for (const { name, host } of await this.#usersNamed(client)) {
      const { holder = { name, host, isOwn: true } } = users.get(`${name}\0${host}`) ?? {};
      users.set(`${name}\0${host}`, { holder, isConcerned: true });
    }
    return [...users.values()].filter(({ isConcerned }) => isConcerned).map(({ holder }) => holder);
  }

  withDatabases(databases: readonly string[]): OwnNames {
    return new AccountNames(databases, this.prefix, this.#others);
  }

  /** Resolves with the users whose names the rule gives to the account, also those without any rights. */
  async #usersNamed(client: DatabaseClient): Promise<Pick<RightHolder, 'name' | 'host'>[]> {
    if (this.prefix === '') return [];
    const users = await client.query<Pick<RightHolder, 'name' | 'host'>>(
      "select user as name, host as host from mysql.user where host <> '' and left(user, ?) = ?",
      [this.prefix.length, this.prefix],
    );
    return users.filter(({ name }) => this.allows(name));
  }

  #patternsFor(pattern: GrantPattern, all: readonly string[]): string[] | undefined {
    const isByRule = (name: string) => this.prefix !== '' && this.allows(name);
    if (pattern.name !== undefined)
      return this.databases.includes(pattern.name) || isByRule(pattern.name) ? [pattern.exact] : undefined;
    const matching = all.filter((name) => pattern.matches(name));
    if (matching.some((name) => !this.databases.includes(name))) return undefined;
    if (isByRule(pattern.prefix)) return [pattern.exact];
    return matching.length === 0 ? undefined : matching.map(quotedInPattern);
  }
}
