import type { Fit } from './name-table.ts';

/** Fit and depth in one number; smaller is better. */
export function rankOf(fit: Fit, depth: number): number {
  return fit * 0x1_0000 + depth;
}

/**
 * The best of many hits without sorting them all. Hits of one rank come in the order of their numbers, which below
 * `ordered` is the order of their paths, so of those the first `wanted` are enough; the later ones are compared by path.
 */
export class TopHits {
  readonly #ordered: number;
  readonly #wanted: number;
  readonly #ranks = new Map<number, { first: number[]; later: number[] }>();
  /** Whether hits were left out because there were enough of their rank. */
  isCut = false;

  constructor(ordered: number, wanted: number) {
    this.#ordered = ordered;
    this.#wanted = wanted;
  }

  add(id: number, rank: number): void {
    let bucket = this.#ranks.get(rank);
    if (bucket === undefined) this.#ranks.set(rank, (bucket = { first: [], later: [] }));
    if (id >= this.#ordered) bucket.later.push(id);
    else if (bucket.first.length < this.#wanted) bucket.first.push(id);
    else this.isCut = true;
  }

  /** How many were kept. */
  get size(): number {
    let size = 0;
    for (const { first, later } of this.#ranks.values()) size += first.length + later.length;
    return size;
  }

  /** TopHits first. */
  *inOrder(pathOf: (id: number) => readonly string[]): Generator<number> {
    for (const rank of [...this.#ranks.keys()].toSorted((a, b) => a - b)) {
      const { first = [], later = [] } = this.#ranks.get(rank) ?? {};
      yield* later.length === 0 ? first : merged(first, later, pathOf);
    }
  }
}

/** Two lists as one by path, the first of them in that order already. */
function* merged(
  first: readonly number[],
  later: readonly number[],
  pathOf: (id: number) => readonly string[],
): Generator<number> {
  const added = later.map((id) => ({ id, path: pathOf(id) })).toSorted((a, b) => comparePaths(a.path, b.path));
  let next = 0;
  for (const id of first) {
    const path = pathOf(id);
    for (let each = added[next]; each !== undefined && comparePaths(each.path, path) < 0; each = added[++next])
      yield each.id;
    yield id;
  }
  for (const { id } of added.slice(next)) yield id;
}

/** Component by component. */
export function comparePaths(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < a.length && i < b.length; i += 1) {
    const [left = '', right = ''] = [a[i], b[i]];
    if (left !== right) return left < right ? -1 : 1;
  }
  return a.length - b.length;
}
