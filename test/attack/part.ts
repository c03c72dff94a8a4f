/**
 * What `npm run attack` is made of, and what `npm test` runs a bounded share of.
 *
 * @slow is a part of the attack
 */
export interface Part {
  readonly title: string;
  /**
   * Attacks a server of its own and returns the figures to print, a line each. Rejects at the first thing that must not
   * happen. `share` is how much of the whole attack is made, 0 to 1; the same `seed` makes the same requests where a part draws them.
   */
  run(share: number, seed?: number): Promise<readonly string[]>;
}

/** How many requests the whole attack makes from the description. */
export const WHOLE_REQUESTS = 100_000;
