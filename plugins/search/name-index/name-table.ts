import { BYTES_IN_SIGNATURE, NameSignatures, signatureOf } from './name-signatures.ts';
import { Fit } from './ranking.ts';

/** Stands in the place of the parent of a removed name. */
const REMOVED = 0xffff_ffff;

/**
 * Capacity of a new table. The system provides the memory when it is first written; arrays that grow would leave garbage
 * that takes memory until the next garbage collection.
 */
const INITIAL_BYTES = 36 << 20;
const INITIAL_NAMES = 2 << 20;
/** In a longer name a text is sought by the system's methods, whose time does not grow with the length of the text. */
const LONG_NAME = 64;

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
  readonly #signatures: NameSignatures;
  #count: number;
  #removed = 0;

  constructor(data?: NameData) {
    if (data === undefined) {
      this.#bytes = Buffer.alloc(INITIAL_BYTES);
      this.#starts = new Uint32Array(INITIAL_NAMES).fill(1, 0, 1);
      this.#parents = new Uint32Array(INITIAL_NAMES);
      this.#capitals = new Uint8Array(INITIAL_BYTES / 8);
    } else this.#copy(data);
    this.#signatures = new NameSignatures(this.#parents.length);
    this.#originals = new Map(data?.originals);
    this.#count = data?.parents.length ?? 0;
    for (let id = 0; id < this.#count; id += 1) {
      this.#sign(id);
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

  /** Of what is used; the system provides the rest when it is written. */
  get sizeBytes(): number {
    const end = this.#start(this.#count);
    return end + end / 8 + this.#count * (4 + 4 + BYTES_IN_SIGNATURE) + this.#originals.size * 100;
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

  add(name: string, parent: number): number {
    const id = this.#count;
    const start = this.#start(id);
    this.#reserve(start + name.length * 3 + 2);
    const end = this.#writeAscii(name, start) ?? this.#writeOther(id, name, start);
    this.#bytes[end] = 0;
    this.#parents[id] = parent;
    this.#starts[id + 1] = end + 1;
    this.#count += 1;
    this.#sign(id);
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
    const [ofText, ofEnding] = [signatureOf(text, 0, text.length), signatureOf(ending, 0, ending.length)];
    const sought = { low: ofText.low | ofEnding.low, high: ofText.high | ofEnding.high };
    const next = (from: number) => this.#signatures.next(sought, from, this.#count);
    for (let id = next(0); id < this.#count; id = next(id + 1)) {
      const fit = text.length === 0 ? Fit.whole : this.#fit(id, text);
      if (fit !== undefined) this.#visit(id, ending, fit, visit);
    }
  }

  /** Like `scan`, for names that begin with `text`: for a short text, a small part of those that contain it. */
  scanPrefix(text: Buffer, ending: Buffer, visit: (id: number, fit: Fit) => void): void {
    for (let id = 0; id < this.#count; id += 1)
      if (this.#hasAt(text, this.#start(id)))
        this.#visit(id, ending, text.length === this.#end(id) - this.#start(id) ? Fit.whole : Fit.prefix, visit);
  }

  #visit(id: number, ending: Buffer, fit: Fit, visit: (id: number, fit: Fit) => void): void {
    if (!this.isRemoved(id) && (ending.length === 0 || this.endsWith(id, ending))) visit(id, fit);
  }

  /** How well a text matches a name; `undefined` when it does not. */
  #fit(id: number, text: Buffer): Fit | undefined {
    const start = this.#start(id);
    const end = this.#end(id);
    let fit: Fit | undefined;
    for (let at = this.#find(text, start, end); at >= 0; at = this.#find(text, at + 1, end)) {
      if (at === start) return text.length === end - start ? Fit.whole : Fit.prefix;
      if (!isWordByte(this.#bytes[at - 1] ?? 0)) return Fit.word;
      fit = Fit.inside;
    }
    return fit;
  }

  /** The first occurrence of a text between two positions, or -1. */
  #find(text: Buffer, from: number, end: number): number {
    if (end - from > LONG_NAME) {
      const at = this.#bytes.subarray(from, end).indexOf(text);
      return at < 0 ? -1 : from + at;
    }
    const bytes = this.#bytes;
    const first = text[0];
    const last = end - text.length;
    for (let at = from; at <= last; at += 1) if (bytes[at] === first && this.#hasAt(text, at)) return at;
    return -1;
  }

  /** Whether a text, which has no zero byte, stands at a position. */
  #hasAt(text: Buffer, position: number): boolean {
    const bytes = this.#bytes;
    let i = 0;
    while (i < text.length && bytes[position + i] === text[i]) i += 1;
    return i === text.length;
  }

  #sign(id: number): void {
    this.#signatures.set(id, signatureOf(this.#bytes, this.#start(id), this.#end(id)));
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
    if (this.#count + 1 > this.#signatures.capacity) this.#signatures.resize(padded(this.#count), this.#count);
  }
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
