import { copied } from './copied.ts';

/** The content, as the index file keeps it. */
export interface ParentData {
  /** For each run of names with one parent: the number of the first name, and that of the parent. */
  readonly runs: Uint32Array;
  /** A bit for each name. */
  readonly removed: Uint8Array;
}

const [FIRST, PARENT, RUN] = [0, 1, 2];
/** How many runs a look-up goes on before it searches all. */
const STEPS = 4;

/**
 * The parents of numbered names, and which names are removed. Names of one folder mostly have consecutive numbers, so that a
 * parent is kept for a run of names and not for each.
 */
export class NameParents {
  #runs: Uint32Array;
  #removed: Uint8Array;
  #runCount: number;
  #count: number;
  #removedCount = 0;
  /** The run of the last look-up: names are mostly looked up in the order of their numbers. */
  #last = 0;

  /** `count` names of `data`, which is copied. */
  constructor(count = 0, data: ParentData = { runs: new Uint32Array(), removed: new Uint8Array() }) {
    this.#count = count;
    this.#runCount = data.runs.length / RUN;
    this.#runs = copied(data.runs, new Uint32Array(data.runs.length + RUN));
    this.#removed = copied(data.removed, new Uint8Array(Math.ceil(count / 8) + 1));
    for (let id = 0; id < count; id += 1) if (this.isRemoved(id)) this.#removedCount += 1;
  }

  get removedCount(): number {
    return this.#removedCount;
  }

  get sizeBytes(): number {
    return this.#runs.byteLength + this.#removed.byteLength;
  }

  get data(): ParentData {
    return {
      runs: this.#runs.subarray(0, this.#runCount * RUN),
      removed: this.#removed.subarray(0, Math.ceil(this.#count / 8)),
    };
  }

  /** Adds the parent of the next name. */
  add(parent: number): void {
    const id = this.#count;
    this.#count += 1;
    if (id >> 3 >= this.#removed.length)
      this.#removed = copied(this.#removed, new Uint8Array(enlarged(this.#removed.length)));
    const end = this.#runCount * RUN;
    if (end > 0 && this.#runs[end - RUN + PARENT] === parent) return;
    if (end === this.#runs.length) this.#runs = copied(this.#runs, new Uint32Array(enlarged(end)));
    this.#runs[end + FIRST] = id;
    this.#runs[end + PARENT] = parent;
    this.#runCount += 1;
  }

  /** The parent of a name, also of one that is removed. */
  of(id: number): number {
    if (id < this.#first(this.#last)) this.#last = this.#runOf(id);
    for (let step = 0; id >= this.#first(this.#last + 1); step += 1)
      this.#last = step < STEPS ? this.#last + 1 : this.#runOf(id);
    return this.#runs[this.#last * RUN + PARENT] ?? 0;
  }

  remove(id: number): void {
    if (this.isRemoved(id)) return;
    this.#removed[id >> 3] = (this.#removed[id >> 3] ?? 0) | (1 << (id & 7));
    this.#removedCount += 1;
  }

  isRemoved(id: number): boolean {
    return ((this.#removed[id >> 3] ?? 0) & (1 << (id & 7))) !== 0;
  }

  /** The first name of a run; Infinity beyond the last. */
  #first(run: number): number {
    return run < this.#runCount ? (this.#runs[run * RUN + FIRST] ?? 0) : Number.POSITIVE_INFINITY;
  }

  #runOf(id: number): number {
    let [low, high] = [0, this.#runCount - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#first(middle) <= id) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** Half as large again, because both are small beside the names. */
const enlarged = (length: number): number => (Math.ceil(length * 1.5) & ~1) + 1024;
