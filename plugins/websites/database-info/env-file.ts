import { Budget } from './budget.ts';
import { joined } from './php-value.ts';

const LINE =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.]*)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\[^])*)"|'([^']*)'|([^\n]*))/gm;
/** Splits a value into what stands between references, and the names in them. */
const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_.]*)\}/;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/**
 * Parses a `.env` file as the frameworks do: quotes, comments, `export`, and `${NAME}` for a setting above. Errors:
 * 422 `file_too_complex`.
 */
export function parseEnv(text: string): Map<string, string> {
  const values = new Map<string, string>();
  const budget = new Budget();
  const expanded = (value: string) =>
    value.split(REFERENCE).map((part, i) => (i % 2 === 0 ? part : (values.get(part) ?? '')));
  for (const [, name = '', double, single, plain = ''] of text.replaceAll('\r\n', '\n').matchAll(LINE)) {
    const written =
      double === undefined
        ? (plain.split(/(?:^|[ \t])#/, 1)[0] ?? '').trim()
        : double.replace(/\\([^])/g, (_, each: string) => ESCAPES[each] ?? each);
    values.set(name, joined(single === undefined ? expanded(written) : [single], budget) ?? '');
  }
  return values;
}
