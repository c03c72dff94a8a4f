/**
 * One part of `npm run attack`; `npm test` runs a bounded share of it.
 *
 */
export interface Part {
  readonly title: string;
  /**
   * Attacks a server of its own and returns the figures to print, one per line. Rejects at the first violation.
   * `share`, from 0 to 1, is the fraction of the whole attack to run; the same `seed` repeats the same random choices.
   */
  run(share: number, seed: number): Promise<readonly string[]>;
}

/** Number of requests that the whole attack generates from the API description. */
export const WHOLE_REQUESTS = 100_000;
