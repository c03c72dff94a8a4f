import { Fit } from './ranking.ts';
import { TrigramFilter } from './trigram-filter.ts';

/** Stands in the place of the parent of a removed name. */
const REMOVED = 0xffff_ffff;

/**
 * Capacity of each array of a new table. The system provides the memory when it is first written, and gets it back in
 * one piece; small arrays that grow would fragment the heap of the thread.
 */
const INITIAL_BYTES = 36 << 20;

/** The content of a table, as the index file keeps it. */
export interface NameData {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly parents: Uint32Array;
  readonly capitals: Uint8Array;
  /** Names that cannot be restored from lower case and capitals. */
  readonly originals: readonly (readonly [id: number, name: string])[];
}

/**
 * Numbered names, each with the number of its folder, in about 40 bytes each. The table holds the names in lower case,
 * separated by zero bytes; for each byte one bit that says whether it was an ASCII capital; and the start of each name.
 */
export class NameTable {
  #bytes: Buffer = Buffer.alloc(0);
  #starts = new Uint32Array();
  #parents = new Uint32Array();
  #capitals = new Uint8Array();
  readonly #originals: Map<number, string>;
  readonly #filter = new TrigramFilter();
  #count: number;
  #removed = 0;

  constructor(data?: NameData) {
    if (data === undefined) {
      this.#bytes = Buffer.alloc(INITIAL_BYTES);
      this.#starts = new Uint32Array(INITIAL_BYTES / 4).fill(1, 0, 1);
      this.#parents = new Uint32Array(INITIAL_BYTES / 4);
      this.#capitals = new Uint8Array(INITIAL_BYTES / 8);
    } else this.#copy(data);
    this.#originals = new Map(data?.originals);
    this.#count = data?.parents.length ?? 0;
    for (let id = 0; id < this.#count; id += 1) {
      this.#filter.add(id, this.#bytes, this.#start(id), this.#end(id));
      if (this.#parents[id] === REMOVED) this.#removed += 1;
    }
  }

  /** Numbers given so far, including those of removed names. */
  get count(): number {
    return this.#count;
  }

  get removedCount(): number {
    return this.#removed;
  }

  get sizeBytes(): number {
    return (
      this.#bytes.length +
      this.#starts.byteLength +
      this.#parents.byteLength +
      this.#capitals.length +
      this.#filter.sizeBytes +
      this.#originals.size * 100
    );
  }

  get data(): NameData {
    const end = this.#start(this.#count);
    return {
      bytes: this.#bytes.subarray(0, end),
      starts: this.#starts.subarray(0, this.#count + 1),
      parents: this.#parents.subarray(0, this.#count),
      capitals: this.#capitals.subarray(0, Math.ceil(end / 8)),
      originals: [...this.#originals],
    };
  }

  /** Releases most of the unused capacity. */
  trim(): void {
    this.#copy(this.data);
  }

  add(name: string, parent: number): number {
    const id = this.#count;
    const start = this.#start(id);
    this.#reserve(start + name.length * 3 + 2);
    const end = this.#writeAscii(name, start) ?? this.#writeOther(id, name, start);
    this.#bytes[end] = 0;
    this.#parents[id] = parent;
    this.#starts[id + 1] = end + 1;
    this.#count += 1;
    this.#filter.add(id, this.#bytes, start, end);
    return id;
  }

  remove(id: number): void {
    if (this.isRemoved(id)) return;
    this.#parents[id] = REMOVED;
    this.#removed += 1;
  }

  isRemoved(id: number): boolean {
    return this.#parents[id] === REMOVED;
  }

  parent(id: number): number {
    return this.#parents[id] ?? REMOVED;
  }

  /** The name as it is written on disk. */
  name(id: number): string {
    const original = this.#originals.get(id);
    if (original !== undefined) return original;
    const [start, end] = [this.#start(id), this.#end(id)];
    const bytes = Buffer.from(this.#bytes.subarray(start, end));
    for (let i = start; i < end; i += 1)
      if (((this.#capitals[i >> 3] ?? 0) & (1 << (i & 7))) !== 0) bytes[i - start] = (bytes[i - start] ?? 0) - 32;
    return bytes.toString();
  }

  /** Whether the lower-case name ends with these bytes and has others before them. */
  endsWith(id: number, ending: Uint8Array): boolean {
    const end = this.#end(id);
    const from = end - ending.length;
    if (from <= this.#start(id)) return false;
    for (let i = 0; i < ending.length; i += 1) if (this.#bytes[from + i] !== ending[i]) return false;
    return true;
  }

  /**
   * Calls `visit` for each name that contains `text` and ends with `ending`, in the order of the numbers. Both are
   * lower-case bytes and may be empty.
   */
  scan(text: Buffer, ending: Buffer, visit: (id: number, fit: Fit) => void): void {
    const sought = text.length > 0 ? text : ending;
    if (sought.length === 0) {
      for (let id = 0; id < this.#count; id += 1) if (!this.isRemoved(id)) visit(id, Fit.whole);
      return;
    }
    for (const [first, end] of this.#filter.candidates([text, ending], this.#count))
      this.#scanRange(first, end, sought, text.length === 0, ending, visit);
  }

  /** Like `scan`, for names that begin with `text`: for a short text, a small part of those that contain it. */
  scanPrefix(text: Buffer, ending: Buffer, visit: (id: number, fit: Fit) => void): void {
    this.#scanRange(0, this.#count, Buffer.concat([Buffer.alloc(1), text]), false, ending, visit);
  }

  #scanRange(
    first: number,
    endId: number,
    sought: Buffer,
    isEnding: boolean,
    ending: Buffer,
    visit: (id: number, fit: Fit) => void,
  ): void {
    const base = this.#start(first) - 1; // the zero byte before the first name is part of it
    const lead = sought[0] === 0 ? 1 : 0;
    const view = this.#bytes.subarray(base, this.#start(endId));
    let id = first;
    let fit: Fit | undefined;
    const report = () => {
      if (fit !== undefined && !this.isRemoved(id) && (ending.length === 0 || this.endsWith(id, ending)))
        visit(id, fit);
      fit = undefined;
    };
    for (let at = indexOf(view, sought, 0); at >= 0;) {
      const from = base + at + lead;
      if (from >= this.#start(id + 1)) {
        report();
        id = this.#find(from, id + 1, endId);
      }
      const here = isEnding ? Fit.whole : this.#fit(id, from, sought.length - lead);
      if (fit === undefined || here < fit) fit = here;
      at = indexOf(view, sought, here < Fit.inside && !isEnding ? this.#start(id + 1) - base - 1 : at + 1);
    }
    report();
  }

  #fit(id: number, from: number, length: number): Fit {
    if (from === this.#start(id)) return this.#bytes[from + length] === 0 ? Fit.whole : Fit.prefix;
    return isWordByte(this.#bytes[from - 1] ?? 0) ? Fit.inside : Fit.word;
  }

  /** The number of the name at a position, from `low` up to `high`; it is often near `low`, so the steps grow. */
  #find(position: number, low: number, high: number): number {
    let step = 1;
    while (low + step < high && this.#start(low + step) <= position) {
      low += step;
      step *= 2;
    }
    let end = Math.min(low + step, high);
    while (end - low > 1) {
      const middle = (low + end) >> 1;
      if (this.#start(middle) <= position) low = middle;
      else end = middle;
    }
    return low;
  }

  #copy({ bytes, starts, parents, capitals }: NameData): void {
    this.#bytes = copied(bytes, Buffer.alloc(padded(bytes.length)));
    this.#starts = copied(starts, new Uint32Array(padded(starts.length)));
    this.#parents = copied(parents, new Uint32Array(padded(parents.length)));
    this.#capitals = copied(capitals, new Uint8Array(padded(capitals.length)));
  }

  #start(id: number): number {
    return this.#starts[id] ?? 0;
  }

  #end(id: number): number {
    return this.#start(id + 1) - 1;
  }

  /** Returns the end of the name, or `undefined` when it is not ASCII. */
  #writeAscii(name: string, start: number): number | undefined {
    for (let i = 0; i < name.length; i += 1) {
      let code = name.charCodeAt(i);
      if (code >= 128) return undefined;
      if (code >= 65 && code <= 90) {
        this.#setCapital(start + i);
        code += 32;
      }
      this.#bytes[start + i] = code;
    }
    return start + name.length;
  }

  #writeOther(id: number, name: string, start: number): number {
    for (let i = start; i < start + name.length; i += 1)
      this.#capitals[i >> 3] = (this.#capitals[i >> 3] ?? 0) & ~(1 << (i & 7));
    const lower = name.toLowerCase();
    if (lower !== name) this.#originals.set(id, name);
    this.#reserve(start + lower.length * 3 + 2);
    return start + this.#bytes.write(lower, start);
  }

  #setCapital(at: number): void {
    this.#capitals[at >> 3] = (this.#capitals[at >> 3] ?? 0) | (1 << (at & 7));
  }

  #reserve(length: number): void {
    if (length > this.#bytes.length) this.#bytes = copied(this.#bytes, Buffer.alloc(padded(length)));
    if (length / 8 >= this.#capitals.length)
      this.#capitals = copied(this.#capitals, new Uint8Array(padded(length / 8)));
    if (this.#count + 2 > this.#starts.length)
      this.#starts = copied(this.#starts, new Uint32Array(padded(this.#count)));
    if (this.#count + 1 > this.#parents.length)
      this.#parents = copied(this.#parents, new Uint32Array(padded(this.#count)));
  }
}

/** The next occurrence, or -1. A single byte is so common that a native call for each would cost more than the loop. */
function indexOf(view: Buffer, sought: Buffer, from: number): number {
  if (sought.length > 1) return view.indexOf(sought, from);
  const [byte] = sought;
  for (let at = from; at < view.length; at += 1) if (view[at] === byte) return at;
  return -1;
}

/**
 * A little more than a length, because an index grows slowly, and an array that became too small takes memory until the
 * next garbage collection.
 */
function padded(length: number): number {
  return Math.ceil(length * (17 / 16)) + 256;
}

function copied<T extends Uint8Array | Uint32Array>(from: Uint8Array | Uint32Array, to: T): T {
  to.set(from);
  return to;
}

/** Letters, digits and everything beyond ASCII; a word begins after any other byte. */
function isWordByte(byte: number): boolean {
  return byte >= 128 || (byte >= 48 && byte <= 57) || (byte >= 97 && byte <= 122);
}
