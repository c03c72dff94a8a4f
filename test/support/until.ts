import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 50;

/** Waits until `isSo` returns true. Rejects with `condition` when it is still false after `limitMs`. */
export async function until(condition: string, limitMs: number, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + limitMs; !(await isSo()); await delay(POLL_MS))
    if (performance.now() > end) throw new Error(`not within ${limitMs / 1000} s: ${condition}`);
}
