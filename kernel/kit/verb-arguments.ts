/**
 * Checks of what other processes send, to the broker or from another node: they may be in foreign hands, and what was
 * checked there does not count. All errors are 400 `invalid_request`.
 */
import { Readable } from 'node:stream';
import { fail, HttpError } from '../errors.ts';
import { isObject } from '../schema.ts';
import type { Identified } from './jobs/job.ts';
import { USERNAME } from './files/files-root.ts';
import { boundedBytes } from './waiting/byte-streams.ts';

/** More than anybody's databases are described in. */
const JSON_BYTES = 32 * 2 ** 20;
/** The last time that a date can be. */
const LATEST_MS = 8.64e15;

/** Resolves with the JSON of a body that another node sends. */
export async function readJson(body: AsyncIterable<Uint8Array>): Promise<unknown> {
  const tooMuch = () => fail.invalid_request(`more than ${JSON_BYTES} bytes of JSON`);
  const bytes = await Readable.from(boundedBytes(body, JSON_BYTES, tooMuch)).toArray();
  try {
    return JSON.parse(Buffer.concat(bytes as Uint8Array[]).toString()) as unknown;
  } catch {
    throw refused('JSON'); // what it says instead is nobody's
  }
}

/** Returns the members of an object that has these and no others. */
export function readMembers<K extends string>(value: unknown, names: readonly K[]): Record<K, unknown> {
  if (!isObject(value) || Object.keys(value).toSorted().join() !== names.toSorted().join())
    throw refused(`an object with ${names.join(', ')}`);
  return value as Record<K, unknown>;
}

/** Returns a whole number from `smallest` to `largest`. */
export function readInteger(value: unknown, smallest: number, largest: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= smallest && value <= largest) return value;
  throw refused(`a number from ${smallest} to ${largest}`);
}

export const readCount = (value: unknown): number => readInteger(value, 0, Number.MAX_SAFE_INTEGER);

/** Returns milliseconds since 1970, of a time that a date can be. */
export const readTime = (value: unknown): number => readInteger(value, 0, LATEST_MS);

/** Returns a text that matches a pattern. */
export function readText(value: unknown, pattern: RegExp): string {
  if (typeof value === 'string' && pattern.test(value)) return value;
  throw refused(`a text like ${pattern.source}`);
}

export function readBoolean(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw refused('true or false');
}

/** Returns a list of at most `longest` items, each checked by `itemOf`. */
export function readList<T>(value: unknown, longest: number, itemOf: (item: unknown) => T): T[] {
  if (Array.isArray(value) && value.length <= longest) return value.map(itemOf);
  throw refused(`a list of at most ${longest}`);
}

/** Returns the id and the name of an account; whether they belong together, the caller must know. */
export function readAccount(value: unknown): Identified {
  const { id, username } = readMembers(value, ['id', 'username']);
  return { id: readInteger(id, 1, 2 ** 31), username: readText(username, USERNAME) };
}

function refused(expected: string): HttpError {
  return fail.invalid_request(`expected ${expected}`);
}
