import { invalid } from '../errors.ts';
import { Type } from '../schema.ts';

/** The schema of where a list continues. */
export const NextCursor = Type.Union([Type.String(), Type.Null()], {
  description: 'Cursor of the next page; null on the last one',
});

/** Where a sorted list continues: the value that its last item was sorted by, and the item's name. */
export type Position = readonly [value: string | number, name: string];

/** Returns the cursor of a position. */
export function toCursor(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/**
 * Returns the position of a cursor whose value is of a type; `undefined` for the empty one. Errors: 400 `invalid_request` for
 * what is no such cursor.
 */
export function fromCursor(cursor: string, type: 'string' | 'number'): Position | undefined {
  if (cursor === '') return undefined;
  try {
    const [value, name] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (typeof value === type && typeof name === 'string') return [value as string | number, name];
  } catch {
    // refused below, like whatever else is no cursor
  }
  throw invalid('query', [{ path: '/cursor', message: 'must be the next_cursor of a page in the same order' }]);
}

/** Returns the items after a position, sorted by a number and then by name. */
export function sortedFrom<T>(
  items: readonly T[],
  positionOf: (item: T) => Position,
  isDescending: boolean,
  after: Position | undefined,
): T[] {
  const sign = isDescending ? -1 : 1;
  const compare = ([a, nameA]: Position, [b, nameB]: Position) =>
    sign * (Number(a) - Number(b) || (nameA < nameB ? -1 : Number(nameA > nameB)));
  return items
    .map((item) => ({ item, at: positionOf(item) }))
    .filter(({ at }) => after === undefined || compare(at, after) > 0)
    .toSorted((a, b) => compare(a.at, b.at))
    .map(({ item }) => item);
}
