import * as assert from './assert.ts';

/** Returns one member of each. */
export const pick = <T, K extends keyof T>(list: readonly T[], name: K): T[K][] => list.map((each) => each[name]);

/** Fails unless `isWrong` is true of none, and shows those of which it is. */
export function assertNone<T>(
  list: readonly T[],
  isWrong: (each: T, index: number) => unknown,
  message?: string,
): void {
  assert.equal(list.filter(isWrong), [], message);
}
