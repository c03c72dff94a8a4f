import { quotedInPattern } from '../../../kernel/kit/mysql-text.ts';
import type { OwnGrant, OwnNames } from '../../../kernel/contract/points/database-servers.ts';
import { GrantPattern } from './grant-pattern.ts';

/** See `OwnNames`. */
export class AccountNames implements OwnNames {
  readonly databases: readonly string[];
  /** The beginning of each name that is the account's by rule; empty where there is no such rule. */
  readonly #prefix: string;
  /** Beginnings that are those of accounts with longer names. */
  readonly #others: readonly string[];

  constructor(databases: readonly string[], prefix = '', others: readonly string[] = []) {
    this.databases = databases;
    this.#prefix = prefix;
    this.#others = others;
  }

  allows(name: string): boolean {
    return name.startsWith(this.#prefix) && !this.#others.some((other) => name.startsWith(other));
  }

  readGrant(text: string, isPattern: boolean, all: readonly string[]): OwnGrant {
    const pattern = new GrantPattern(isPattern ? text : quotedInPattern(text));
    const patterns = this.#patternsFor(pattern, all);
    if (patterns !== undefined) return { isConcerned: true, patterns };
    return { isConcerned: this.databases.some((name) => pattern.matches(name)) };
  }

  withDatabases(databases: readonly string[]): OwnNames {
    return new AccountNames(databases, this.#prefix, this.#others);
  }

  #patternsFor(pattern: GrantPattern, all: readonly string[]): string[] | undefined {
    const isByRule = (name: string) => this.#prefix !== '' && this.allows(name);
    if (pattern.name !== undefined)
      return this.databases.includes(pattern.name) || isByRule(pattern.name) ? [pattern.exact] : undefined;
    const matching = all.filter((name) => pattern.matches(name));
    if (matching.some((name) => !this.databases.includes(name))) return undefined;
    if (isByRule(pattern.prefix)) return [pattern.exact];
    return matching.length === 0 ? undefined : matching.map(quotedInPattern);
  }
}
