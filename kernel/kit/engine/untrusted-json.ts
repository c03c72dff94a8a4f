/**
 * Readers for JSON from an engine. It may be another version, another program, or an account's own engine, so no type
 * in it is assumed: each reader returns an empty value for anything else.
 */

/** Names and values. */
export type Labels = readonly (readonly [name: string, value: string])[];

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A whole number from 0 to 2^53 - 1; anything that is not a positive number counts as 0. */
export function count(value: unknown): number {
  return typeof value === 'number' && value > 0 ? Math.min(Math.floor(value), Number.MAX_SAFE_INTEGER) : 0;
}

/** The members of an object; empty for arrays, too. */
export function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function texts(value: unknown): string[] {
  return list(value).filter((each) => typeof each === 'string');
}

export function labels(value: unknown): Labels {
  return Object.entries(members(value)).map(([name, each]) => [name, text(each)]);
}
