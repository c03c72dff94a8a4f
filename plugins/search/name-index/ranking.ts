/** How well a text matches a name; smaller is better. */
export const Fit = { whole: 0, prefix: 1, word: 2, inside: 3 } as const;
export type Fit = (typeof Fit)[keyof typeof Fit];

/** How well a query matches a single name, by the same rules as `NameTable.scan`; `undefined` when it does not. */
export function nameFit(
  name: string,
  { text, extension }: { readonly text: string; readonly extension: string },
): Fit | undefined {
  const lower = name.toLowerCase();
  const sought = text.toLowerCase();
  const ending = extension === '' ? '' : `.${extension.toLowerCase()}`;
  if (!lower.endsWith(ending) || (ending !== '' && lower.length === ending.length)) return undefined;
  return sought === '' ? Fit.whole : fitIn(Buffer.from(lower), Buffer.from(sought));
}

/** How well a text matches a name of these bytes, both in lower case. */
export function fitIn(name: Buffer, text: Buffer): Fit | undefined {
  let fit: Fit | undefined;
  for (let at = name.indexOf(text); at >= 0; at = name.indexOf(text, at + 1)) {
    if (at === 0) return text.length === name.length ? Fit.whole : Fit.prefix;
    if (!isWordByte(name[at - 1] ?? 0)) return Fit.word;
    fit = Fit.inside;
  }
  return fit;
}

/** Letters, digits and everything beyond ASCII; a word begins after any other byte. */
export const isWordByte = (byte: number): boolean =>
  byte >= 128 || (byte >= 48 && byte <= 57) || (byte >= 97 && byte <= 122);

/** Fit and depth in one number; smaller is better. */
export const hitRank = (fit: Fit, depth: number): number => fit * 0x1_0000 + depth;

/**
 * The best of many hits, without sorting them all. Hits of one rank are ordered by path. Numbers below `ordered` were
 * given in the order of the paths, so the first `wanted` of those are enough; the others are compared by path.
 */
export class TopHits {
  readonly #ordered: number;
  readonly #wanted: number;
  readonly #ranks = new Map<number, { inOrder: number[]; unordered: number[] }>();
  /** Whether hits were dropped because there were enough of their rank. */
  isCut = false;

  constructor(ordered: number, wanted: number) {
    this.#ordered = ordered;
    this.#wanted = wanted;
  }

  add(id: number, rank: number): void {
    let bucket = this.#ranks.get(rank);
    if (bucket === undefined) this.#ranks.set(rank, (bucket = { inOrder: [], unordered: [] }));
    if (id >= this.#ordered) bucket.unordered.push(id);
    else if (bucket.inOrder.length < this.#wanted) bucket.inOrder.push(id);
    else this.isCut = true;
  }

  /** Number of hits kept. */
  get size(): number {
    let size = 0;
    for (const { inOrder, unordered } of this.#ranks.values()) size += inOrder.length + unordered.length;
    return size;
  }

  /** Yields the best first. */
  *sorted(pathOf: (id: number) => readonly string[]): Generator<number> {
    for (const [, { inOrder, unordered }] of [...this.#ranks].toSorted(([a], [b]) => a - b))
      yield* unordered.length === 0 ? inOrder : merged(inOrder, unordered, pathOf);
  }
}

/** Merges two lists by path; the first is in that order already. */
function* merged(
  inOrder: readonly number[],
  unordered: readonly number[],
  pathOf: (id: number) => readonly string[],
): Generator<number> {
  const others = unordered.map((id) => ({ id, path: pathOf(id) })).toSorted((a, b) => comparePaths(a.path, b.path));
  let next = 0;
  for (const id of inOrder) {
    const path = pathOf(id);
    for (let each = others[next]; each !== undefined && comparePaths(each.path, path) < 0; each = others[++next])
      yield each.id;
    yield id;
  }
  for (const { id } of others.slice(next)) yield id;
}

/** Compares component by component. */
export function comparePaths(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < a.length && i < b.length; i += 1) {
    const [left = '', right = ''] = [a[i], b[i]];
    if (left !== right) return left < right ? -1 : 1;
  }
  return a.length - b.length;
}
