/** Names that share a bit of the filter. */
const BLOCK = 64;
/** Names that a chunk describes: as many blocks as a word has bits. */
const CHUNK = BLOCK * 32;
/** Hash values of three bytes. With 64 names to a bit, about a fifth of the bits are set, at 8 bytes a name. */
const HASHES = 4096;

/**
 * Rules out blocks of names that cannot contain a text, so that a search reads only the others. For each hash of three
 * bytes it has one bit a block; with 32 blocks in a word, a search rules out 32 at a time.
 */
export class TrigramFilter {
  readonly #chunks: Uint32Array[] = [];

  get sizeBytes(): number {
    return this.#chunks.length * HASHES * 4;
  }

  /** Adds the bytes of a name, from `start` up to `end`. */
  add(id: number, bytes: Uint8Array, start: number, end: number): void {
    const chunk = (this.#chunks[Math.floor(id / CHUNK)] ??= new Uint32Array(HASHES));
    const bit = 1 << ((id % CHUNK) / BLOCK);
    for (let i = start + 2; i < end; i += 1) {
      const at = hash(bytes[i - 2] ?? 0, bytes[i - 1] ?? 0, bytes[i] ?? 0);
      chunk[at] = (chunk[at] ?? 0) | bit;
    }
  }

  /** Ranges `[first, end)` of the names that may contain all of these texts; adjacent ranges are merged. */
  candidates(texts: readonly Uint8Array[], count: number): [first: number, end: number][] {
    const hashes = texts.flatMap((text) =>
      Array.from({ length: Math.max(0, text.length - 2) }, (_, i) =>
        hash(text[i] ?? 0, text[i + 1] ?? 0, text[i + 2] ?? 0),
      ),
    );
    const ranges: [number, number][] = [];
    for (const [i, chunk] of this.#chunks.entries()) {
      let bits = -1;
      for (let h = 0; h < hashes.length && bits !== 0; h += 1) bits &= chunk[hashes[h] ?? 0] ?? 0;
      for (let block = 0; bits !== 0; block += 1, bits >>>= 1) {
        if ((bits & 1) === 0) continue;
        const first = i * CHUNK + block * BLOCK;
        const last = ranges.at(-1);
        if (last !== undefined && last[1] === first) last[1] = first + BLOCK;
        else ranges.push([first, first + BLOCK]);
      }
    }
    return ranges.filter(([first]) => first < count).map(([first, end]) => [first, Math.min(end, count)]);
  }
}

function hash(a: number, b: number, c: number): number {
  return Math.imul((a << 16) | (b << 8) | c, 0x9e37_79b1) >>> 20;
}
