import { Budget } from './budget.ts';
import { joined } from './php-value.ts';

const LINE =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.]*)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\[^])*)"|'([^']*)'|([^\n]*))/dgm;
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
  for (const { name, written, isExpanded } of envLines(text.replaceAll('\r\n', '\n')))
    values.set(name, joined(isExpanded ? expanded(written) : [written], budget) ?? '');
  return values;
}

interface EnvLine {
  readonly name: string;
  /** The value, with its references. */
  readonly written: string;
  readonly isExpanded: boolean;
  /** The place of the value, with its quotes. */
  readonly start: number;
  readonly end: number;
}

/** Returns the settings of a `.env` file, in the order of the file. */
export const envLines = (text: string): EnvLine[] =>
  [...text.matchAll(LINE)].map((match) => {
    const [, name = '', double, single, plain = ''] = match;
    const inQuotes = double ?? single;
    const written =
      double?.replace(/\\([^])/g, (_, each: string) => ESCAPES[each] ?? each) ??
      single ??
      (plain.split(/(?:^|[ \t])#/, 1)[0] ?? '').trim();
    const quote = inQuotes === undefined ? 0 : 1;
    const group = [name, double, single, plain].findIndex((each, i) => i > 0 && each !== undefined) + 1;
    const start = (match.indices?.[group]?.[0] ?? 0) - quote;
    const end = start + (inQuotes ?? written).length + 2 * quote;
    return { name, written, isExpanded: single === undefined, start, end };
  });
