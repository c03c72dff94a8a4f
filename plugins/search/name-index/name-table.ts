import { TrigramFilter } from './trigram-filter.ts';

/** The parent of a name that is gone. */
const REMOVED = 0xffff_ffff;

/**
 * Room that a table begins with, for each of its arrays. It costs nothing until it is used, and is so large that it
 * comes from the system and goes back there: smaller pieces that grow leave holes in the memory of the thread.
 */
const ROOM_BYTES = 36 << 20;

/** How well a text fits a name; smaller is better. */
export const Fit = { whole: 0, prefix: 1, word: 2, inside: 3 } as const;
export type Fit = (typeof Fit)[keyof typeof Fit];

/** What is kept of a table on disk. */
export interface NameData {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly parents: Uint32Array;
  readonly capitals: Uint8Array;
  /** Names that lower case and capitals do not give back. */
  readonly originals: readonly (readonly [id: number, name: string])[];
}

/**
 * Names, each with the number of its folder, in about 40 bytes each: all in lower case one after the other with a zero
 * byte before and after each, one bit for each byte that was a capital of ASCII, and where each begins.
 */
export class NameTable {
  #bytes: Buffer;
  #starts: Uint32Array;
  #parents: Uint32Array;
  #capitals: Uint8Array;
  readonly #originals: Map<number, string>;
  readonly #filter = new TrigramFilter();
  #count: number;
  #gone = 0;

  constructor(data?: NameData) {
    this.#bytes =
      data === undefined ? Buffer.alloc(ROOM_BYTES) : copied(data.bytes, Buffer.alloc(more(data.bytes.length)));
    this.#starts =
      data === undefined
        ? new Uint32Array(ROOM_BYTES / 4).fill(1, 0, 1)
        : copied(data.starts, new Uint32Array(more(data.starts.length)));
    this.#parents =
      data === undefined
        ? new Uint32Array(ROOM_BYTES / 4)
        : copied(data.parents, new Uint32Array(more(data.parents.length)));
    this.#capitals =
      data === undefined
        ? new Uint8Array(ROOM_BYTES / 8)
        : copied(data.capitals, new Uint8Array(more(data.capitals.length)));
    this.#originals = new Map(data?.originals);
    this.#count = data?.parents.length ?? 0;
    for (let id = 0; id < this.#count; id += 1) {
      this.#filter.add(id, this.#bytes, this.#start(id), this.#end(id));
      if (this.#parents[id] === REMOVED) this.#gone += 1;
    }
  }

  /** Numbers given so far, those of names that are gone included. */
  get count(): number {
    return this.#count;
  }

  get removedCount(): number {
    return this.#gone;
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

  /** Gives room back that was kept for more names, but for a little. */
  trim(): void {
    const { bytes, starts, parents, capitals } = this.data;
    this.#bytes = copied(bytes, Buffer.alloc(more(bytes.length)));
    this.#starts = copied(starts, new Uint32Array(more(starts.length)));
    this.#parents = copied(parents, new Uint32Array(more(parents.length)));
    this.#capitals = copied(capitals, new Uint8Array(more(capitals.length)));
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
    this.#gone += 1;
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

  /** Whether the lower-case name ends with these bytes, and has others before them. */
  endsWith(id: number, ending: Uint8Array): boolean {
    const end = this.#end(id);
    const from = end - ending.length;
    if (from <= this.#start(id)) return false;
    for (let i = 0; i < ending.length; i += 1) if (this.#bytes[from + i] !== ending[i]) return false;
    return true;
  }

  /** Calls back for every name that is there, in the order of the numbers, with how well `text` fits it; both texts are lower-case bytes, `ending` may be empty. */
  scan(text: Buffer, ending: Buffer, visit: (id: number, fit: Fit) => void): void {
    const sought = text.length > 0 ? text : ending;
    if (sought.length === 0) {
      for (let id = 0; id < this.#count; id += 1) if (!this.isRemoved(id)) visit(id, Fit.whole);
      return;
    }
    for (const [first, end] of this.#filter.candidates([text, ending], this.#count))
      this.#scanRange(first, end, sought, text.length === 0, ending, visit);
  }

  /** The same for names that begin with the text, which for short texts is a small part of those that hold it. */
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
    const settle = () => {
      if (fit !== undefined && !this.isRemoved(id) && (ending.length === 0 || this.endsWith(id, ending)))
        visit(id, fit);
      fit = undefined;
    };
    for (let at = next(view, sought, 0); at >= 0;) {
      const from = base + at + lead;
      if (from >= this.#start(id + 1)) {
        settle();
        id = this.#find(from, id + 1, endId);
      }
      const here = isEnding ? Fit.whole : this.#fit(id, from, sought.length - lead);
      if (fit === undefined || here < fit) fit = here;
      at = next(view, sought, here < Fit.inside && !isEnding ? this.#start(id + 1) - base - 1 : at + 1);
    }
    settle();
  }

  #fit(id: number, from: number, length: number): Fit {
    if (from === this.#start(id)) return this.#bytes[from + length] === 0 ? Fit.whole : Fit.prefix;
    return isWordByte(this.#bytes[from - 1] ?? 0) ? Fit.inside : Fit.word;
  }

  /** The number of the name that holds a position, between two numbers. */
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

  #start(id: number): number {
    return this.#starts[id] ?? 0;
  }

  #end(id: number): number {
    return this.#start(id + 1) - 1;
  }

  /** The end of the name, or `undefined` when it is not ASCII. */
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
    if (length > this.#bytes.length) this.#bytes = copied(this.#bytes, Buffer.alloc(more(length)));
    if (length / 8 >= this.#capitals.length) this.#capitals = copied(this.#capitals, new Uint8Array(more(length / 8)));
    if (this.#count + 2 > this.#starts.length) this.#starts = copied(this.#starts, new Uint32Array(more(this.#count)));
    if (this.#count + 1 > this.#parents.length)
      this.#parents = copied(this.#parents, new Uint32Array(more(this.#count)));
  }
}

/** The next occurrence, -1 for none. One byte is so common that the call of `indexOf` would cost more than looking. */
function next(view: Buffer, sought: Buffer, from: number): number {
  if (sought.length > 1) return view.indexOf(sought, from);
  const [byte] = sought;
  for (let at = from; at < view.length; at += 1) if (view[at] === byte) return at;
  return -1;
}

/** A little more than a length: an index is large and changes little, and what was too small lies about for a while. */
function more(length: number): number {
  return Math.ceil(length * (17 / 16)) + 256;
}

function copied<T extends Uint8Array | Uint32Array>(from: Uint8Array | Uint32Array, to: T): T {
  to.set(from);
  return to;
}

/** Letters, digits and all that is not ASCII; what stands between those begins a word. */
function isWordByte(byte: number): boolean {
  return byte >= 128 || (byte >= 48 && byte <= 57) || (byte >= 97 && byte <= 122);
}
