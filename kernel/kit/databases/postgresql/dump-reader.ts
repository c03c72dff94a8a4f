/** A dump read as psql reads it: statements, and the rows that follow one that takes rows. */

/** A statement is held as a whole. */
const STATEMENT_BYTES = 128 << 20;
/** How much of what follows may decide what a token means: a dollar quote's tag, the second half of a comment's mark. */
const LOOK_AHEAD = 128;
const [NEW_LINE, RETURN] = [0x0a, 0x0d];
const END_OF_ROWS = Buffer.from('\n\\.');

export interface DumpStatement {
  readonly text: string;
  /** Where it begins, from 1. */
  readonly line: number;
}

/** The dump cannot be read; `message` says so to people. */
export class DumpFault extends Error {}

/** Bytes are characters of latin1 here: all that has a meaning is ASCII, and the rest is passed on as it is. */
const PLAIN = /['"$;()\\]|--|\/\*/g;
const ESCAPED = /['\\]/g;
const BLOCK = /\/\*|\*\//g;
const TAG = /\$(?:[A-Za-z_\x80-\xff][\w\x80-\xff]*)?\$/y;
/** Comments in comments are left to the server. */
const SPACE = /^(?:\s+|--[^\n]*(?:\n|$)|\/\*(?:(?!\/\*)[^])*?\*\/)+/;
const WORD = /[\w$\x80-\xff]/;
/** psql's guards of a dump; all other commands of psql are refused. */
const GUARD = /\\(?:un)?restrict\b[^\n]*/y;
const BODY = /^\s*create\b[^]*\bbegin\s+atomic\b/i;

type Part = 'plain' | 'text' | 'escaped' | 'name' | 'line' | 'block' | 'dollar';
const FRESH = { part: 'plain' as Part, depth: 0, tag: '', parentheses: 0 };

export class DumpReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #text = '';
  #isOver = false;
  /** Where the statement begins, at which line, and how far it was read. */
  #from = 0;
  #line = 1;
  #at = 0;
  #state = { ...FRESH };

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Resolves with the next statement, `undefined` at the end. Rejects with `DumpFault`, and with errors of the source. */
  async next(): Promise<DumpStatement | undefined> {
    for (;;) {
      const isWhole = this.#advance();
      if (!isWhole && (await this.#more())) continue;
      const end = this.#at;
      const raw = this.#text.slice(this.#from, isWhole ? end - 1 : end);
      const [space = ''] = SPACE.exec(raw) ?? [];
      const line = this.#line + linesIn(Buffer.from(space, 'latin1'));
      this.#line += linesIn(Buffer.from(this.#text.slice(this.#from, end), 'latin1'));
      [this.#from, this.#state] = [end, { ...FRESH }];
      if (space.length < raw.length) return { text: Buffer.from(raw.slice(space.length), 'latin1').toString(), line };
      if (!isWhole) return undefined;
    }
  }

  /** The rows that follow the statement before, up to a line `\.`, and without it. */
  async *rows(): AsyncGenerator<Buffer> {
    let newLine = this.#text.indexOf('\n', this.#at);
    while (newLine < 0 && (await this.#more())) newLine = this.#text.indexOf('\n', this.#at);
    if (newLine < 0) throw this.#fault('the rows are missing');
    let held = Buffer.from(this.#text.slice(newLine), 'latin1');
    let first = 1; // the end of the statement's line is no row's
    for (;;) {
      const at = held.indexOf(END_OF_ROWS);
      const after = at + END_OF_ROWS.length;
      const isKnown = at >= 0 && (after < held.length || this.#isOver);
      const isEnd = isKnown && (after === held.length || held[after] === NEW_LINE || held[after] === RETURN);
      const until = isEnd ? at + 1 : isKnown ? after : at >= 0 ? at : held.length - END_OF_ROWS.length + 1;
      if (until > first) yield held.subarray(first, until);
      if (isEnd) {
        this.#line += linesIn(held.subarray(0, after));
        [this.#text, this.#from, this.#at] = [held.toString('latin1', after), 0, 0];
        return;
      }
      if (until > first) {
        this.#line += linesIn(held.subarray(0, until));
        [held, first] = [held.subarray(until), 0];
      }
      if (isKnown) continue;
      const { done, value } = await this.#chunks.next();
      if (done !== true) held = Buffer.concat([held, value]);
      else if (this.#isOver) throw this.#fault('the rows have no end');
      else this.#isOver = true;
    }
  }

  /** Reads on. Returns whether that is the end of a statement, and `false` where more is needed. */
  #advance(): boolean {
    const state = this.#state;
    for (;;) {
      const index = this.#find();
      if (index < 0 || (index + LOOK_AHEAD > this.#text.length && !this.#isOver)) return this.#wait(index);
      const token = this.#text[index] as string;
      this.#at = index + 1;
      switch (state.part) {
        case 'plain':
          if (token === ';' && state.parentheses <= 0 && !this.#isInBody(index)) return true;
          this.#enter(token, index);
          break;
        case 'block':
          this.#at = index + 2;
          state.depth += token === '/' ? 1 : -1;
          if (state.depth === 0) state.part = 'plain';
          break;
        case 'dollar':
          [this.#at, state.part] = [index + state.tag.length, 'plain'];
          break;
        default: {
          const isPair = token === '\\' || (token === "'" && this.#text[index + 1] === "'");
          if (isPair) this.#at = index + 2;
          else state.part = 'plain';
        }
      }
    }
  }

  /** Returns where the next character is that means something. */
  #find(): number {
    const { part, tag } = this.#state;
    if (part === 'dollar') return this.#text.indexOf(tag, this.#at);
    const ends = { text: "'", name: '"', line: '\n' } as const;
    if (part === 'text' || part === 'name' || part === 'line') return this.#text.indexOf(ends[part], this.#at);
    const pattern = part === 'plain' ? PLAIN : part === 'escaped' ? ESCAPED : BLOCK;
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.index ?? -1;
  }

  /** Keeps the place until more is there; `index`: of a token that may mean something else then. */
  #wait(index: number): false {
    const most = this.#isOver ? this.#text.length : Math.max(this.#at, this.#text.length - LOOK_AHEAD);
    this.#at = index < 0 ? most : Math.max(this.#at, Math.min(index, most));
    return false;
  }

  #enter(token: string, index: number): void {
    const state = this.#state;
    const next = this.#text[index + 1];
    if (token === "'") state.part = this.#isEscaped(index) ? 'escaped' : 'text';
    else if (token === '"') state.part = 'name';
    else if (token === '-') state.part = 'line';
    else if (token === '/') [state.part, state.depth, this.#at] = ['block', 1, index + 2];
    else if (token === '(') state.parentheses += 1;
    else if (token === ')') state.parentheses -= 1;
    else if (token === '\\') this.#skipGuard(index);
    else if (token === '$' && next !== undefined && !WORD.test(this.#text[index - 1] ?? '')) {
      TAG.lastIndex = index;
      const [tag] = TAG.exec(this.#text) ?? [];
      if (tag !== undefined) [state.part, state.tag, this.#at] = ['dollar', tag, index + tag.length];
    }
  }

  #isEscaped(index: number): boolean {
    return /^[eE]$/.test(this.#text[index - 1] ?? '') && !WORD.test(this.#text[index - 2] ?? '');
  }

  #skipGuard(index: number): void {
    GUARD.lastIndex = index;
    const [guard] = GUARD.exec(this.#text) ?? [];
    if (guard === undefined) {
      const line = this.#line + linesIn(Buffer.from(this.#text.slice(this.#from, index), 'latin1'));
      throw new DumpFault(`line ${line}: commands of psql, which begin with a backslash, are not run`);
    }
    this.#text = `${this.#text.slice(0, index)}${' '.repeat(guard.length)}${this.#text.slice(index + guard.length)}`;
    this.#at = index + guard.length;
  }

  /** Whether a semicolon is within the body of a function that is no text. */
  #isInBody(index: number): boolean {
    const text = this.#text.slice(this.#from, index).replace(SPACE, '');
    if (!BODY.test(text)) return false;
    const count = (word: RegExp) => text.match(word)?.length ?? 0;
    return count(/\b(?:begin|case)\b/gi) > count(/\bend\b/gi);
  }

  /** Reads more, the more the longer the statement is. Resolves with `false` at the end. */
  async #more(): Promise<boolean> {
    if (this.#isOver) return false;
    this.#text = this.#text.slice(this.#from);
    [this.#at, this.#from] = [this.#at - this.#from, 0];
    if (this.#text.length > STATEMENT_BYTES) throw this.#fault(`a statement has more than ${STATEMENT_BYTES} bytes`);
    const read: string[] = [];
    for (let bytes = 0; bytes <= this.#text.length;) {
      const { done, value } = await this.#chunks.next();
      if (done === true) {
        this.#isOver = true;
        break;
      }
      bytes += read.push(Buffer.from(value).toString('latin1')) && value.length;
    }
    this.#text += read.join('');
    return true;
  }

  #fault(why: string): DumpFault {
    return new DumpFault(`line ${this.#line}: ${why}`);
  }
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEW_LINE); at >= 0; at = bytes.indexOf(NEW_LINE, at + 1)) lines += 1;
  return lines;
}
