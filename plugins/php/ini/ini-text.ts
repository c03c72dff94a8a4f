import { MOST_FAULTS, NO_TEXT, type LineFault } from '../../../kernel/kit/line-faults.ts';
import { boundsText, DIRECTIVES, OPTIONS, valueFrom } from './directives.ts';

/** A directive and its value, in the form in which they are written for PHP. */
export type IniValue = readonly [name: string, value: string];

export const MOST_CHARACTERS = 8192;
const MOST_LINES = 300;
const CHARACTERS_OF_A_NAME = 60;

/**
 * Reads the php.ini section of a customer: `name = value` on each line, comments after `;` on lines of their own. Returns what may be
 * set, in the order of the names, and the lines that cannot be taken.
 */
export function readIni(content: string): {
  readonly values: readonly IniValue[];
  readonly faults: readonly LineFault[];
} {
  const values = new Map<string, string>();
  const faults: LineFault[] = [];
  const lines = content.split('\n');
  for (const [i, given] of lines.slice(0, MOST_LINES).entries()) {
    const fault = readLine(given.replace(/\r$/, ''), values);
    if (fault !== undefined && faults.length < MOST_FAULTS) faults.push({ line: i + 1, message: fault });
  }
  if (lines.length > MOST_LINES)
    faults.push({ line: MOST_LINES + 1, message: `there can be ${MOST_LINES} lines at most` });
  return { values: [...values].toSorted(([a], [b]) => (a < b ? -1 : 1)), faults };
}

/** Adds what a line sets; returns why it cannot be taken. */
function readLine(given: string, values: Map<string, string>): string | undefined {
  if (NO_TEXT.test(given)) return 'there is a character that no text has';
  const line = given.trim();
  if (line === '' || line.startsWith(';')) return undefined;
  const at = line.indexOf('=');
  const name = (at === -1 ? line : line.slice(0, at)).trim();
  const directive = DIRECTIVES.get(name);
  if (OPTIONS.has(name)) return `${name} is an option of the domain, and is changed there`;
  if (at === -1 || !/^[A-Za-z0-9_.]+$/.test(name)) return 'a line has the form name = value';
  if (directive === undefined)
    return `${name.slice(0, CHARACTERS_OF_A_NAME)} is none of the directives that can be set`;
  const value = valueFrom(directive, unquoted(line.slice(at + 1).trim()));
  if (value === undefined) return `${name} can be ${boundsText(directive)}`;
  if (values.has(name)) return `${name} is set by a line before`;
  values.set(name, value);
  return undefined;
}

const unquoted = (text: string): string => /^"([^"]*)"$/.exec(text)?.[1] ?? text;
