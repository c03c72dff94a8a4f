import { setTimeout as delay } from 'node:timers/promises';
import { countAssertion } from './assert.ts';

/** How long may pass before what a test waits for is there, also on a machine that does much else. */
export const LIMIT_MS = 90_000;
const POLL_MS = 50;

/** Waits until `isSo` returns true. Rejects with `condition` when it is still false after `LIMIT_MS`. */
export async function until(condition: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  await eventually(condition, isSo, Boolean);
}

/** Asks until the value fits, and resolves with it. Rejects with `condition` and the last value after `LIMIT_MS`. */
export async function eventually<T>(
  condition: string,
  ask: () => T | Promise<T>,
  fits: (value: T) => boolean,
): Promise<T> {
  for (const end = performance.now() + LIMIT_MS; ; await delay(POLL_MS)) {
    const value = await ask();
    if (fits(value)) {
      countAssertion();
      return value;
    }
    if (performance.now() > end)
      throw new Error(`not within ${LIMIT_MS / 1000} s: ${condition}, but ${JSON.stringify(value)}`);
  }
}
