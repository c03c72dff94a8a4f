import { copied } from './copied.ts';
import { LOWER } from './letter-case.ts';

/** Which sequences of three bytes a name has, as two hash bits for each of them: one in each half. */
export interface Signature {
  readonly low: number;
  readonly high: number;
}

export const BYTES_IN_SIGNATURE = 8;

/**
 * The signatures of numbered names, in 8 bytes each. A search looks at all of them and then only at names that may contain
 * its text: about one of a hundred others from six bytes on.
 */
export class NameSignatures {
  #lows: Int32Array;
  #highs: Int32Array;

  constructor(capacity: number) {
    this.#lows = new Int32Array(capacity);
    this.#highs = new Int32Array(capacity);
  }

  get capacity(): number {
    return this.#lows.length;
  }

  /** Makes room for more, and keeps those that are there. */
  enlarge(capacity: number): void {
    this.#lows = copied(this.#lows, new Int32Array(capacity));
    this.#highs = copied(this.#highs, new Int32Array(capacity));
  }

  set(id: number, { low, high }: Signature): void {
    this.#lows[id] = low;
    this.#highs[id] = high;
  }

  /** The first number from `from` up to `count` whose signature has all bits of another; `count` if there is none. */
  next({ low, high }: Signature, from: number, count: number): number {
    const lows = this.#lows;
    const highs = this.#highs;
    for (let id = from; id < count; id += 1)
      if (((lows[id] ?? 0) & low) === low && ((highs[id] ?? 0) & high) === high) return id;
    return count;
  }
}

/** The signature of the bytes from `start` up to `end`, the same in any case of ASCII. */
export function nameSignature(bytes: Uint8Array, start: number, end: number): Signature {
  let low = 0;
  let high = 0;
  let three = (lower(bytes[start]) << 8) | lower(bytes[start + 1]);
  for (let i = start + 2; i < end; i += 1) {
    three = ((three << 8) | lower(bytes[i])) & 0xff_ffff;
    const hash = Math.imul(three, 0x9e37_79b1);
    low |= 1 << (hash >>> 27);
    high |= 1 << ((hash >>> 22) & 31);
  }
  return { low, high };
}

const lower = (byte = 0): number => LOWER[byte] ?? 0;
