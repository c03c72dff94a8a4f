/** Positions in a JSON text, for messages that name line and column. `JSON.parse` gives none, and stops without saying why. */
import { printParseErrorCode, visit, type JSONPath, type JSONVisitor } from 'jsonc-parser';

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

/** Where the members of a JSON text are. */
export interface JsonPositions {
  /** By JSON pointer: where a member's name begins, or an element of an array. */
  readonly positions: ReadonlyMap<string, TextPosition>;
  /** Members that an object has twice; JSON.parse takes the last one in silence. */
  readonly repeated: readonly { readonly path: string; readonly position: TextPosition }[];
}

/** Sentences by the parser's names of errors. */
const PROBLEMS: Readonly<Record<string, string>> = {
  PropertyNameExpected: 'the name of a member must stand here, in double quotes',
  ValueExpected: 'a value must stand here: text in double quotes, a number, true, false, null, [ or {',
  ColonExpected: 'a colon must stand between the name and the value',
  CommaExpected: 'a comma or a closing bracket must stand here',
  CloseBraceExpected: 'a comma or } must stand here',
  CloseBracketExpected: 'a comma or ] must stand here',
  EndOfFileExpected: 'nothing may follow the end of the settings',
  InvalidCommentToken: 'JSON has no comments',
  UnexpectedEndOfString: 'the text in quotes does not end on its line',
  InvalidEscapeCharacter: 'the text in quotes has an invalid escape',
  InvalidUnicode: 'the text in quotes has an invalid escape',
};

/** Returns where each member of a JSON text is. Throws `JsonSyntaxError`. */
export function jsonPositions(text: string): JsonPositions {
  const positions = new Map<string, TextPosition>();
  const repeated: { path: string; position: TextPosition }[] = [];
  const errors: { name: string; offset: number; position: TextPosition }[] = [];
  const onValue = (line: number, column: number, path: JSONPath) => {
    const pointer = pointerTo(path);
    if (!positions.has(pointer)) positions.set(pointer, place(line, column));
  };
  const visitor: JSONVisitor = {
    onObjectBegin: (_offset, _length, line, column, path) => onValue(line, column, path()),
    onArrayBegin: (_offset, _length, line, column, path) => onValue(line, column, path()),
    onLiteralValue: (_value, _offset, _length, line, column, path) => onValue(line, column, path()),
    onObjectProperty: (name, _offset, _length, line, column, path) => {
      const own = pointerTo([...path(), name]);
      const position = place(line, column);
      const isInside = repeated.some((each) => own.startsWith(`${each.path}/`));
      if (positions.has(own) && !isInside) repeated.push({ path: own, position });
      positions.set(own, position);
    },
    onError: (code, offset, _length, line, column) =>
      errors.push({ name: printParseErrorCode(code), offset, position: place(line, column) }),
  };
  visit(text, visitor, { disallowComments: true });
  const [first, second] = errors;
  if (first === undefined) return { positions, repeated };
  // Of what is no symbol of JSON, the next error says what was expected in its place.
  const { name } = first.name === 'InvalidSymbol' && second !== undefined ? second : first;
  throw new JsonSyntaxError(problemAt(name, text, first.offset), first.position);
}

const place = (line: number, column: number): TextPosition => ({ line: line + 1, column: column + 1 });

const pointerTo = (path: JSONPath): string =>
  path.map((each) => `/${String(each).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

function problemAt(error: string, text: string, offset: number): string {
  const next = text.charAt(offset);
  if (next === '' && error === 'ValueExpected') return 'the file ends too early: a bracket or a value is missing';
  if ((next === '}' || next === ']') && text.slice(0, offset).trimEnd().endsWith(','))
    return `there must be no comma before ${next}`;
  if (error === 'ValueExpected' && next === "'") return 'texts stand in double quotes';
  return PROBLEMS[error] ?? 'this is not JSON';
}
