import * as assert from './assert.ts';

/** Returns one member of each. */
export const pick = <T, K extends keyof T>(list: readonly T[], name: K): T[K][] => list.map((each) => each[name]);

/** Returns how often each is in a list. */
export function counted(list: readonly (string | number)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const each of list) counts[each] = (counts[each] ?? 0) + 1;
  return counts;
}

/** Fails unless `isWrong` is true of none, and shows those of which it is. */
export function assertNone<T>(
  list: readonly T[],
  isWrong: (each: T, index: number) => unknown,
  message?: string,
): void {
  assert.equal(list.filter(isWrong), [], message);
}
