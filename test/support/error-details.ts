/** Reads from sources what errors say in detail. */

const QUOTES = new Set(["'", '"', '`']);
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '{': '}', '[': ']' };

/** Returns the text of a literal that begins at `from`, with `{}` for what it takes in, and where it ends. */
function literalAt(source: string, from: number): { readonly text: string; readonly end: number } {
  const quote = source[from];
  let text = '';
  let at = from + 1;
  while (source[at] !== quote)
    if (source[at] === '\\') {
      text += source[at + 1];
      at += 2;
    } else if (quote === '`' && source.startsWith('${', at)) {
      text += '{}';
      at = endOf(source, at + 2, '}');
    } else text += source[at++];
  return { text, end: at + 1 };
}

/** Returns where what is open at `from` is closed. */
function endOf(source: string, from: number, closing: string): number {
  let at = from;
  while (source[at] !== closing) at = afterPart(source, at);
  return at + 1;
}

/** Returns where a literal, or what is in parentheses, ends; or else the next place. */
function afterPart(source: string, at: number): number {
  const character = source[at] ?? '';
  if (QUOTES.has(character)) return literalAt(source, at).end;
  const closing = CLOSING[character];
  return closing === undefined ? at + 1 : endOf(source, at + 1, closing);
}

/** Returns the texts that an argument may be: those of literals, of which `+` joins two and `?` and `:` are between others. */
function textsOfArgument(source: string, from: number): string[] {
  const texts: string[] = [];
  let isJoined = false;
  for (let at = from; source[at] !== ',' && source[at] !== ')'; at = afterPart(source, at))
    if (source[at] === '+') isJoined = true;
    else if (QUOTES.has(source[at] ?? '')) {
      const { text } = literalAt(source, at);
      texts.push(isJoined ? `${texts.pop()}${text}` : text);
      isJoined = false;
    }
  return texts;
}

/** Returns the details that a source writes out where it makes errors, with `{}` for what differs from one to the next. */
export function errorDetails(source: string): string[] {
  const code = source.replace(/^ *(?:\*|\/\*\*|\/\/).*$/gm, '');
  return [...code.matchAll(/\bfail\.\w+\(/g)].flatMap(({ 0: call, index }) =>
    textsOfArgument(code, index + call.length),
  );
}
