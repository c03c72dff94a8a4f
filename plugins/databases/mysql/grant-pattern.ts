import { quotedInPattern } from '../../../kernel/kit/databases/mysql-text.ts';

const ANY = Symbol('any text');

/**
 * A pattern of `mysql.db`: `%` is any text, and `\` quotes the next character. An underscore stands for itself, although
 * the servers take it for any character: in the usual grant on `ann_%` it is meant so, and otherwise `annab_x` would be
 * ann's. Customers may write patterns, so matching takes time in proportion to both lengths, which a regular expression
 * does not promise.
 */
export class GrantPattern {
  /** The text with which each match begins. */
  readonly prefix: string;
  readonly #tokens: readonly (string | typeof ANY)[];

  constructor(pattern: string) {
    this.#tokens = Array.from(pattern.matchAll(/\\?./gsu), ([text]) => (text === '%' ? ANY : ([...text].at(-1) ?? '')));
    const literal = this.#tokens.findIndex((token) => token === ANY);
    this.prefix = this.#tokens.slice(0, literal < 0 ? undefined : literal).join('');
  }

  /** The one name that it matches; `undefined` if there may be several. */
  get name(): string | undefined {
    return this.#tokens.includes(ANY) ? undefined : this.prefix;
  }

  /** The pattern for which the servers take underscores, too, for nothing but themselves. */
  get exact(): string {
    return this.#tokens.map((token) => (token === ANY ? '%' : quotedInPattern(String(token)))).join('');
  }

  /** On a mismatch, the latest `%` takes one character more; those before it need not change. */
  matches(name: string): boolean {
    const characters = [...name];
    let [at, token] = [0, 0];
    let retry: { at: number; token: number } | undefined;
    while (at < characters.length) {
      const expected = this.#tokens[token];
      if (expected === ANY) {
        retry = { at, token };
        token += 1;
      } else if (expected === characters[at]) {
        at += 1;
        token += 1;
      } else if (retry !== undefined) {
        retry.at += 1;
        ({ at } = retry);
        token = retry.token + 1;
      } else return false;
    }
    return this.#tokens.slice(token).every((rest) => rest === ANY);
  }
}
