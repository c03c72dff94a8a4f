import type { DatabaseSettings } from '../database-info/config-files.ts';
import type { FoundSettings } from '../database-info/config-reader.ts';
import { asText } from '../database-info/php-value.ts';
import { fail } from '../errors.ts';
import { envLiterals, phpLiterals, type Literal } from './literals.ts';

/** The settings of a login that get another value. */
export interface NewLogin {
  readonly user?: string;
  readonly password: string;
}

const mark = (i: number): string => `hostkeep-${i}-mark`;

/**
 * Returns a configuration file with another login in place of the literals that its settings come from, and with nothing else
 * changed. Which these are is found by trying: every literal of the same value gets a value of its own, and the application's reader says
 * which of them it sees. Errors: 409 `login_not_literal`; those of the reader.
 */
export function withLogin({ bytes, components, read }: FoundSettings, login: NewLogin): Buffer {
  const text = bytes.toString('latin1'); // of whatever characters: each byte stays as it is
  const before = read(text);
  const wanted = (['user', 'password'] as const).filter((name) => login[name] !== undefined);
  const values = wanted.map((name) => asText(before?.[name]));
  const literals = components.at(-1)?.endsWith('.php') ? phpLiterals(text) : envLiterals(text);
  const candidates = literals.filter(({ value }) => values.includes(value));
  const marked = candidates.map((each, i) => [each, mark(i)] as const);
  const tried = read(replaced(text, marked));
  const replacements = wanted.map((name): [Literal, string] => {
    const literal = candidates.find((_, i) => mark(i) === asText(tried?.[name]));
    if (literal === undefined) throw notLiteral();
    return [literal, login[name] ?? ''];
  });
  if (new Set(replacements.map(([literal]) => literal)).size < wanted.length) throw notLiteral();
  const after = replaced(text, replacements);
  assertOnly(before, read(after), login);
  return Buffer.from(after, 'latin1');
}

function replaced(text: string, replacements: readonly (readonly [Literal, string])[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const [{ start, end, write }, value] of replacements.toSorted(([a], [b]) => a.start - b.start)) {
    parts.push(text.slice(at, start), write(value));
    at = end;
  }
  return parts.join('') + text.slice(at);
}

/** Fails unless the settings are the same but for the login. */
function assertOnly(before: DatabaseSettings | undefined, after: DatabaseSettings | undefined, login: NewLogin): void {
  const wanted: Partial<DatabaseSettings> = { ...before, ...login };
  for (const name of Object.keys(wanted) as (keyof DatabaseSettings)[])
    if (asText(after?.[name]) !== asText(wanted[name])) throw notLiteral();
}

const notLiteral = () =>
  fail.login_not_literal('the configuration file does not write the login as plain texts of its own');
