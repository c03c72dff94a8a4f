import { readFile } from 'node:fs/promises';

/** The options of a MySQL or MariaDB option file that this plugin uses. */
export type Options = Partial<Record<'host' | 'port' | 'socket' | 'user' | 'password', string>>;

const SECTIONS = new Set(['client', 'client-server', 'client-mariadb']);
const KEYS = new Set(['host', 'port', 'socket', 'user', 'password']);
const ESCAPES: Readonly<Record<string, string>> = { b: '\b', t: '\t', n: '\n', r: '\r', s: ' ', '\\': '\\' };

export async function readOptionFile(file: string): Promise<Options> {
  return parseOptions(await readFile(file, 'utf8'));
}

/**
 * Parses the client sections by the rules of the servers' manuals: the last value of an option wins, `#` starts a
 * comment outside quotes, escapes are `\b \t \n \r \s \\`. `!include` is ignored.
 */
export function parseOptions(text: string): Options {
  const options: Options = {};
  let isClient = false;
  for (const line of text.split(/\r?\n/).map((each) => each.trim())) {
    const section = /^\[([^\]]*)\]/.exec(line);
    if (section !== null) isClient = SECTIONS.has(section[1]?.trim() ?? '');
    const [, key = '', value = ''] = /^([a-z]+)\s*=\s*(.*)$/.exec(line) ?? [];
    if (isClient && KEYS.has(key)) options[key as keyof Options] = valueOf(value);
  }
  return options;
}

function valueOf(text: string): string {
  const quoted = /^'((?:\\.|[^'\\])*)'|^"((?:\\.|[^"\\])*)"/.exec(text);
  const value = quoted?.[1] ?? quoted?.[2] ?? text.replace(/\s*#.*$/, '');
  return value.replace(/\\([btnrs\\])/g, (_, letter: string) => ESCAPES[letter] ?? '');
}
