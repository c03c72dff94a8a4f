import { copied } from './copied.ts';
import { LOWER, lowered } from './letter-case.ts';
import { BYTES_IN_SIGNATURE, NameSignatures, nameSignature } from './name-signatures.ts';
import { NameParents, type ParentData } from './name-parents.ts';
import { Fit, fitIn, isWordByte } from './ranking.ts';

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
  readonly parents: ParentData;
  /** Names that are not ASCII and have capitals. */
  readonly originals: readonly (readonly [id: number, name: string])[];
}

/**
 * Numbered names, each with the number of its folder, in about 32 bytes each. The table holds the names, separated by zero
 * bytes, and the start of each. Those that are not ASCII are in lower case; of others a search ignores the case.
 */
export class NameTable {
  #bytes: Buffer;
  #starts: Uint32Array;
  readonly #parents: NameParents;
  readonly #originals: Map<number, string>;
  readonly #signatures: NameSignatures;
  #count: number;

  constructor(data?: NameData) {
    const { bytes, starts } = data ?? { bytes: [], starts: [1] };
    const [roomBytes, roomNames] =
      data === undefined ? [INITIAL_BYTES, INITIAL_NAMES] : [padded(bytes.length), padded(starts.length)];
    this.#bytes = copied(bytes, Buffer.alloc(roomBytes));
    this.#starts = copied(starts, new Uint32Array(roomNames));
    this.#count = starts.length - 1;
    this.#parents = new NameParents(this.#count, data?.parents);
    this.#signatures = new NameSignatures(this.#starts.length);
    this.#originals = new Map(data?.originals);
    for (let id = 0; id < this.#count; id += 1) this.#sign(id);
  }

  /** Numbers given so far, including those of removed names. */
  get count(): number {
    return this.#count;
  }

  get removedCount(): number {
    return this.#parents.removedCount;
  }

  /** Of what is used; the system provides the rest when it is written. */
  get sizeBytes(): number {
    const end = this.#start(this.#count);
    return end + this.#count * (4 + BYTES_IN_SIGNATURE) + this.#parents.sizeBytes + this.#originals.size * 100;
  }

  get data(): NameData {
    const end = this.#start(this.#count);
    return {
      bytes: this.#bytes.subarray(0, end),
      starts: this.#starts.subarray(0, this.#count + 1),
      parents: this.#parents.data,
      originals: [...this.#originals],
    };
  }

  add(name: string, parent: number): number {
    const id = this.#count;
    const start = this.#start(id);
    this.#reserve(start + name.length * 3 + 2);
    const end = this.#writeAscii(name, start) ?? this.#writeOther(id, name, start);
    this.#bytes[end] = 0;
    this.#parents.add(parent);
    this.#starts[id + 1] = end + 1;
    this.#count += 1;
    this.#sign(id);
    return id;
  }

  remove(id: number): void {
    this.#parents.remove(id);
  }

  isRemoved(id: number): boolean {
    return this.#parents.isRemoved(id);
  }

  parent(id: number): number {
    return this.#parents.of(id);
  }

  /** The name as it is written on disk. */
  name(id: number): string {
    return this.#originals.get(id) ?? this.#bytes.toString('utf8', this.#start(id), this.#end(id));
  }

  /**
   * Calls `visit` for each name that contains `text` and ends with `ending`, in the order of the numbers. Both are
   * lower-case bytes and may be empty.
   */
  scan(text: Buffer, ending: Buffer, visit: (id: number, fit: Fit) => void): void {
    const [ofText, ofEnding] = [nameSignature(text, 0, text.length), nameSignature(ending, 0, ending.length)];
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

  /** Visits a name that ends with `ending` and has other bytes before that. */
  #visit(id: number, ending: Buffer, fit: Fit, visit: (id: number, fit: Fit) => void): void {
    const from = this.#end(id) - ending.length;
    const isEnding = ending.length === 0 || (from > this.#start(id) && this.#hasAt(ending, from));
    if (isEnding && !this.isRemoved(id)) visit(id, fit);
  }

  /** How well a text matches a name; `undefined` when it does not. */
  #fit(id: number, text: Buffer): Fit | undefined {
    const start = this.#start(id);
    const end = this.#end(id);
    if (end - start > LONG_NAME) return fitIn(lowered(this.#bytes.subarray(start, end)), text);
    const bytes = this.#bytes;
    const first = text[0] ?? 0;
    const capital = first >= 97 && first <= 122 ? first - 32 : first;
    const last = end - text.length;
    let fit: Fit | undefined;
    for (let at = start; at <= last; at += 1) {
      if ((bytes[at] !== first && bytes[at] !== capital) || !this.#hasAt(text, at)) continue;
      if (at === start) return text.length === end - start ? Fit.whole : Fit.prefix;
      if (!isWordByte(LOWER[bytes[at - 1] ?? 0] ?? 0)) return Fit.word;
      fit = Fit.inside;
    }
    return fit;
  }

  /** Whether a text, which has no zero byte, stands at a position. */
  #hasAt(text: Uint8Array, position: number): boolean {
    const bytes = this.#bytes;
    let i = 0;
    while (i < text.length && LOWER[bytes[position + i] ?? 0] === text[i]) i += 1;
    return i === text.length;
  }

  #sign(id: number): void {
    this.#signatures.set(id, nameSignature(this.#bytes, this.#start(id), this.#end(id)));
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
      const code = name.charCodeAt(i);
      if (code >= 128) return undefined;
      this.#bytes[start + i] = code;
    }
    return start + name.length;
  }

  #writeOther(id: number, name: string, start: number): number {
    const lower = name.toLowerCase();
    if (lower !== name) this.#originals.set(id, name);
    this.#reserve(start + lower.length * 3 + 2);
    return start + this.#bytes.write(lower, start);
  }

  #reserve(length: number): void {
    if (length > this.#bytes.length) this.#bytes = copied(this.#bytes, Buffer.alloc(padded(length)));
    if (this.#count + 2 > this.#starts.length)
      this.#starts = copied(this.#starts, new Uint32Array(padded(this.#count)));
    if (this.#count + 1 > this.#signatures.capacity) this.#signatures.enlarge(padded(this.#count));
  }
}

/**
 * A little more than a length, because an index grows slowly, and an array that became too small takes memory until the
 * next garbage collection.
 */
const padded = (length: number): number => Math.ceil(length * (17 / 16)) + 256;
