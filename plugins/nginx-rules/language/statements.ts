/** A directive as it is written; what it means is not known here. */
export interface Statement {
  readonly name: string;
  /** As the web server reads them: without their quotes, and with their escapes resolved. */
  readonly words: readonly string[];
  /** `undefined`: it ends with a semicolon. */
  readonly block: readonly Statement[] | undefined;
  readonly line: number;
}

type Mark = ';' | '{' | '}';
type Token = { readonly line: number } & (
  { readonly text: string; readonly mark?: undefined } | { readonly mark: Mark }
);

const ESCAPED: Readonly<Record<string, string>> = { '"': '"', "'": "'", '\\': '\\' };
const SPACE = /\s/;

/** Text that cannot be read further. */
export class SyntaxFault extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** Reads directives in the syntax of nginx (`ngx_conf_read_token`). Throws `SyntaxFault`. */
export function readStatements(text: string): readonly Statement[] {
  const tokens = [...tokensIn(text)];
  let at = 0;
  const block = (opened: number | undefined): Statement[] => {
    const statements: Statement[] = [];
    for (let token = tokens[at]; token !== undefined; token = tokens[at]) {
      if (token.mark === '}') {
        if (opened === undefined) throw new SyntaxFault(token.line, 'nothing is open that } could close');
        at++;
        return statements;
      }
      statements.push(statement(token));
    }
    if (opened !== undefined) throw new SyntaxFault(opened, 'a block that begins here is not closed');
    return statements;
  };
  const statement = (first: Token): Statement => {
    if (first.mark !== undefined) throw new SyntaxFault(first.line, `a directive has a name before ${first.mark}`);
    const words: string[] = [];
    for (let token = tokens[++at]; token !== undefined; token = tokens[++at]) {
      if (token.mark === '}') break;
      if (token.mark === undefined) words.push(token.text);
      else {
        at++;
        const inner = token.mark === '{' ? block(token.line) : undefined;
        return { name: first.text, words, block: inner, line: first.line };
      }
    }
    throw new SyntaxFault(first.line, 'a directive ends with a semicolon');
  };
  return block(undefined);
}

function* tokensIn(text: string): Generator<Token> {
  let line = 1;
  for (let at = 0; at < text.length;) {
    const sign = text[at] ?? '';
    if (sign === '\n') line++;
    if (SPACE.test(sign)) at++;
    else if (sign === '#') at = text.indexOf('\n', at) === -1 ? text.length : text.indexOf('\n', at);
    else if (sign === ';' || sign === '{' || sign === '}') {
      yield { mark: sign, line };
      at++;
    } else {
      const word = sign === '"' || sign === "'" ? quotedWord(text, at, line) : plainWord(text, at);
      yield { text: word.text, line };
      at = word.end;
    }
  }
}

function plainWord(text: string, start: number) {
  let word = '';
  let at = start;
  for (; at < text.length; at++) {
    const sign = text[at] ?? '';
    if (SPACE.test(sign) || sign === ';' || (sign === '{' && text[at - 1] !== '$')) break;
    if (sign === '\\' && at + 1 < text.length) word += unescaped(text[++at] ?? '');
    else word += sign;
  }
  return { text: word, end: at };
}

function quotedWord(text: string, start: number, line: number) {
  const quote = text[start];
  let word = '';
  for (let at = start + 1; at < text.length; at++) {
    const sign = text[at] ?? '';
    if (sign === quote) {
      const next = text[at + 1] ?? ' ';
      if (SPACE.test(next) || [';', '{', ')'].includes(next)) return { text: word, end: at + 1 };
      throw new SyntaxFault(line, 'a space is missing after a quoted word');
    }
    if (sign === '\n') break;
    if (sign === '\\' && at + 1 < text.length) word += unescaped(text[++at] ?? '');
    else word += sign;
  }
  throw new SyntaxFault(line, 'a quoted word ends on its line');
}

/** Other escapes are those of a pattern; nginx makes control characters of some, which no word here has. */
const unescaped = (sign: string): string => ESCAPED[sign] ?? `\\${sign}`;
