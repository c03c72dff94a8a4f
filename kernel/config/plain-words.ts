import { alternatives, TYPE_NAMES } from '../kit/schema-text.ts';
import type { TSchema } from '../schema.ts';
import type { Issue } from '../errors.ts';

/** One rule of a schema that a value breaks, with what a message may want to say. */
export interface Violation extends Issue {
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The schema that has the keyword. */
  readonly schema: TSchema;
  readonly value: unknown;
}

/** Longer patterns say less than the description of the member, in characters. */
const READABLE_PATTERN = 30;
/** Sentences about limits, by keyword. */
const LIMITS: Readonly<Record<string, (limit: number) => string>> = {
  minimum: (limit) => `must be at least ${limit}`,
  maximum: (limit) => `must be at most ${limit}`,
  exclusiveMinimum: (limit) => `must be more than ${limit}`,
  exclusiveMaximum: (limit) => `must be less than ${limit}`,
  minLength: (limit) => (limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`),
  maxLength: (limit) => `must have at most ${limit} characters`,
  minItems: (limit) => `must have at least ${limit} ${limit === 1 ? 'entry' : 'entries'}`,
  maxItems: (limit) => `must have at most ${limit} entries`,
};

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'must be a time, such as 2030-01-31T12:00:00Z',
  date: 'must be a date, such as 2030-01-31',
  uri: 'must be a URL',
};
const FINITE = /finite/;

/** Returns what is wrong with a setting, or a member of a request, in words, without its name: `must be at least 60`. */
export function inPlainWords(
  { keyword, params, schema, value, path, message }: Violation,
  { isText = false } = {},
): string {
  const limit = LIMITS[keyword];
  if (limit !== undefined) return limit(Number(params['limit']));
  if (keyword === 'type') {
    const wanted = `must be ${TYPE_NAMES[String(params['type'])]}`;
    return isText ? wanted : `${wanted}, and is ${TYPE_NAMES[typeOf(value)]}`;
  }
  if (keyword === 'const') return `must be ${JSON.stringify(params['allowedValue'])}`;
  if (keyword === 'uniqueItems') return 'must not have the same entry twice';
  if (keyword === 'format') return FORMATS[String(params['format'])] ?? 'does not have the right form';
  if (keyword === 'enum' || keyword === 'anyOf') return `must be ${alternatives(schema)}`;
  if (keyword === 'pattern') return formOf(schema);
  if (keyword === 'not') return 'is a plugin without settings';
  if (keyword === 'required') return 'is missing';
  if (keyword !== 'additionalProperties') return FINITE.test(message) ? message : 'is not valid';
  const similar = mostSimilar(path.slice(path.lastIndexOf('/') + 1), Object.keys(schema['properties'] as object));
  return similar === undefined ? 'is not known here' : `is not known here; did you mean ${similar}?`;
}

function formOf({ pattern, description }: TSchema): string {
  return typeof description === 'string' && String(pattern).length > READABLE_PATTERN
    ? `does not have the right form: ${description}`
    : `must match the pattern ${String(pattern)}`;
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return value === null ? 'null' : typeof value;
}

/** The name that takes the fewest changes of letters to become, if those are few. What is much longer or shorter is not looked at. */
function mostSimilar(name: string, known: readonly string[]): string | undefined {
  const few = Math.max(1, Math.floor(name.length / 3));
  const [best] = known
    .filter((each) => Math.abs(each.length - name.length) <= few)
    .map((each) => ({ each, changes: changesBetween(name.toLowerCase(), each) }))
    .toSorted((a, b) => a.changes - b.changes);
  return best !== undefined && best.changes <= few ? best.each : undefined;
}

/** The Levenshtein distance. */
function changesBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 0; i < from.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j += 1)
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (from[i] === to[j] ? 0 : 1)));
    row = next;
  }
  return row[to.length] ?? 0;
}
