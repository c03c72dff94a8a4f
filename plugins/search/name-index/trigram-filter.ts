/** Names of one bit of the filter, and how many such blocks one chunk describes. */
const BLOCK = 64;
const CHUNK = BLOCK * 32;
/** Hash values of three bytes. With 64 names to a bit about a fifth of the bits are set, at 8 bytes a name. */
const SLICES = 4096;

/**
 * Tells which blocks of names can hold a text at all, so that a search reads only those: for every hash of three
 * bytes one bit for each block, with 32 blocks in a word, so that blocks are ruled out 32 at a time.
 */
export class TrigramFilter {
  readonly #chunks: Uint32Array[] = [];

  get sizeBytes(): number {
    return this.#chunks.length * SLICES * 4;
  }

  /** Notes the bytes of a name. */
  add(id: number, bytes: Uint8Array, start: number, end: number): void {
    const at = Math.floor(id / CHUNK);
    const chunk = (this.#chunks[at] ??= new Uint32Array(SLICES));
    const bit = 1 << ((id % CHUNK) / BLOCK);
    for (let i = start + 2; i < end; i += 1) {
      const slice = hash(bytes[i - 2] ?? 0, bytes[i - 1] ?? 0, bytes[i] ?? 0);
      chunk[slice] = (chunk[slice] ?? 0) | bit;
    }
  }

  /** Ranges `[first, end)` of ids whose names may hold all of these texts; neighbours are one range. */
  candidates(texts: readonly Uint8Array[], count: number): [first: number, end: number][] {
    const slices = texts.flatMap((text) =>
      Array.from({ length: Math.max(0, text.length - 2) }, (_, i) =>
        hash(text[i] ?? 0, text[i + 1] ?? 0, text[i + 2] ?? 0),
      ),
    );
    const ranges: [number, number][] = [];
    for (const [i, chunk] of this.#chunks.entries()) {
      let bits = -1;
      for (let s = 0; s < slices.length && bits !== 0; s += 1) bits &= chunk[slices[s] ?? 0] ?? 0;
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
