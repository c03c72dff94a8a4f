/** Positions in a JSON text, for messages that name line and column. `JSON.parse` gives none, and stops without saying why. */

/** A place in a text, both counted from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** A text that is not JSON. The message says in plain words what is wrong at the position. */
export class JsonSyntaxError extends Error {
  readonly position: TextPosition;

  constructor(message: string, position: TextPosition) {
    super(message);
    this.position = position;
  }
}

/** A member that an object has twice; JSON.parse takes the last one in silence. */
interface Repetition {
  readonly path: string;
  readonly position: TextPosition;
}

/** Where the members of a JSON text are. */
export interface JsonPositions {
  /** By JSON pointer: where a member's name begins, or an element of an array. */
  readonly positions: ReadonlyMap<string, TextPosition>;
  readonly repeated: readonly Repetition[];
}

/** Returns where each member of a JSON text is. Throws `JsonSyntaxError`. */
export function jsonPositions(text: string): JsonPositions {
  const scanner = new Scanner(text);
  scanner.document();
  return scanner;
}

const STRING = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])/y;
const SPACE = /[ \t\r\n]*/y;

class Scanner implements JsonPositions {
  readonly positions = new Map<string, TextPosition>();
  readonly repeated: Repetition[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): void {
    this.#value('');
    if (this.#next() !== '') this.#fail('nothing may follow the end of the settings');
  }

  #value(path: string): void {
    const first = this.#next();
    if (!this.positions.has(path)) this.positions.set(path, this.#position());
    if (first === '{') this.#list('}', () => this.#member(path));
    else if (first === '[') this.#list(']', (index) => this.#value(`${path}/${index}`));
    else if (first === '"') this.#string();
    else if (this.#match(SCALAR) === undefined) this.#fail(problemAt(this.#text.slice(this.#at)));
  }

  #member(path: string): void {
    if (this.#next() !== '"') this.#fail('the name of a member must stand here, in double quotes');
    const position = this.#position();
    const name = JSON.parse(this.#string()) as string;
    const own = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const isInside = this.repeated.some((each) => own.startsWith(`${each.path}/`));
    if (this.positions.has(own) && !isInside) this.repeated.push({ path: own, position });
    this.positions.set(own, position);
    if (this.#next() !== ':') this.#fail('a colon must stand between the name and the value');
    this.#at += 1;
    this.#value(own);
  }

  /** Reads what stands between brackets, separated by commas. */
  #list(end: string, element: (index: number) => void): void {
    this.#at += 1;
    if (this.#next() === end) this.#at += 1;
    else
      for (let index = 0; ; index += 1) {
        element(index);
        const next = this.#next();
        if (next !== ',' && next !== end) this.#fail(`a comma or ${end} must stand here`);
        this.#at += 1;
        if (next === end) return;
        if (this.#next() === end) this.#fail(`there must be no comma before ${end}`);
      }
  }

  #string(): string {
    return this.#match(STRING) ?? this.#fail('the text in quotes does not end on its line, or has an invalid escape');
  }

  /** Skips white space and returns the next character; empty at the end. */
  #next(): string {
    this.#match(SPACE);
    return this.#text[this.#at] ?? '';
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #position(): TextPosition {
    const before = this.#text.slice(0, this.#at);
    return { line: before.split('\n').length, column: this.#at - before.lastIndexOf('\n') };
  }

  #fail(message: string): never {
    throw new JsonSyntaxError(message, this.#position());
  }
}

function problemAt(rest: string): string {
  if (rest === '') return 'the file ends too early: a bracket or a value is missing';
  if (/^\/[/*]|^#/.test(rest)) return 'JSON has no comments';
  if (rest.startsWith("'")) return 'texts stand in double quotes';
  return 'a value must stand here: text in double quotes, a number, true, false, null, [ or {';
}
