/** The values that a configuration file writes as they are, and where they stand in it. */
import { envLines } from '../database-info/env-file.ts';
import { decoded } from '../database-info/config-files.ts';
import { asNodes, isNode, parsePhp } from '../database-info/php-syntax.ts';

export interface Literal {
  /** Its place in the file's text. */
  readonly start: number;
  readonly end: number;
  readonly value: string;
  /** Returns another value, of letters, digits, `-` and `_` where the file is not PHP, as it stands there. */
  write(value: string): string;
}

/** Of a node in the text. */
type Place = Readonly<Record<'start' | 'end', { readonly offset: number }>>;

/** A text in quotes, without anything that PHP would put in. */
const QUOTED = /^(?:'(?:[^'\\]|\\[^])*'|"(?:[^"\\]|\\[^])*")$/;
/** Neither quotes are needed for it in a `.env` file, nor escapes in a URL. */
const PLAIN = /^[A-Za-z0-9_-]*$/;
/** The user and the password in a URL. */
const IN_URL = /^["']?[a-z][a-z0-9+.-]*:\/\/([^:@/?#]*):([^@/?#]*)@/di;

const quoted = (value: string): string => `'${value.replace(/['\\]/g, '\\$&')}'`;
function plain(value: string): string {
  if (!PLAIN.test(value)) throw new Error('this needs quotes');
  return value;
}

/** Returns the texts in quotes of a PHP file. Errors: those of `parsePhp`. */
export function phpLiterals(text: string): Literal[] {
  const literals = new Map<number, Literal>();
  const rest: unknown[] = [...parsePhp(text, true)];
  while (rest.length > 0) {
    const node = rest.pop();
    if (!isNode(node)) continue;
    const place = node['loc'] as Place | null;
    const [start, end] = [place?.start.offset ?? 0, place?.end.offset ?? 0];
    if (node.kind === 'string' && QUOTED.test(text.slice(start, end)))
      literals.set(start, { start, end, value: String(node['value']), write: quoted });
    for (const member of Object.values(node)) rest.push(...asNodes(member));
  }
  return [...literals.values()];
}

/** Returns the values of a `.env` file, and users and passwords in those that are URLs. */
export function envLiterals(text: string): Literal[] {
  return envLines(text).flatMap(({ start, end, written }): Literal[] => {
    const inUrl = IN_URL.exec(text.slice(start, end));
    const parts = [1, 2].map((group) => {
      const [first, last] = inUrl?.indices?.[group] ?? [0, 0];
      return { start: start + first, end: start + last, value: decoded(inUrl?.[group] ?? ''), write: plain };
    });
    return [{ start, end, value: written, write: plain }, ...(inUrl === null ? [] : parts)];
  });
}
