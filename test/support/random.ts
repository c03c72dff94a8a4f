/**
 * The seed of a test that makes random choices: `HOSTKEEP_TEST_SEED`, else a new one. It is printed, and the test entry
 * shows the output of a file that fails.
 */
export function testSeed(): number {
  const seed = Number(process.env['HOSTKEEP_TEST_SEED'] ?? Date.now() % 2 ** 31);
  if (!Number.isInteger(seed)) throw new Error('HOSTKEEP_TEST_SEED must be an integer');
  console.log(`seed ${seed}; HOSTKEEP_TEST_SEED=${seed} repeats the random choices`);
  return seed;
}

/** Random numbers from 0 to 1 that a seed determines (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns a generator for one of several concurrent tasks, so that their timing does not change its numbers. */
  fork(): Random {
    return new Random(this.next() * 2 ** 32);
  }

  bytes(count: number): Buffer {
    return Buffer.from(Uint8Array.from({ length: count }, () => Math.floor(this.next() * 256)));
  }
}
