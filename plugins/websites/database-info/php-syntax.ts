import { HttpError, errorMessage } from '../../../kernel/errors.ts';
import { lazyPackage } from '../../../kernel/kit/programs/lazy-package.ts';
import { tooComplex } from './budget.ts';
import { fail } from '../errors.ts';

/** Loads the parser with the first file: most processes never read one. */
const phpParser = lazyPackage<typeof import('php-parser')>('php-parser', import.meta.url);

/** A node of the syntax tree; its kind determines its other members. */
export interface Node {
  readonly kind: string;
  readonly [member: string]: unknown;
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { kind?: unknown }).kind === 'string';
}

/** The nodes of a member that holds one, several or none. */
export function asNodes(value: unknown): readonly Node[] {
  return (Array.isArray(value) ? value : [value]).filter(isNode);
}

/** The name of a node, which holds it as a string or as another node. */
export function nodeName(value: unknown): string | undefined {
  return typeof value === 'string' ? value : isNode(value) ? nodeName(value['name']) : undefined;
}

/** The time of the parser grows with the square of the properties of a class, so that its input needs a bound. */
const MAX_TOKENS = 50_000;
const MAX_NESTING = 500;

/** Parses PHP into statements. Takes up to a second. Errors: 422 `invalid_config_file`, `file_too_complex`. */
export function parsePhp(text: string, withPositions = false): readonly Node[] {
  const { Engine } = phpParser();
  try {
    const engine = new Engine({
      parser: { extractDoc: false, suppressErrors: false, version: '8.3' },
      ast: { withPositions },
    });
    assertParsable(engine.lexer as unknown as Lexer, text);
    return asNodes(engine.parseCode(text, 'config.php').children);
  } catch (cause) {
    if (cause instanceof HttpError) throw cause;
    if (cause instanceof RangeError) throw tooComplex('is nested too deeply', cause);
    throw fail.invalid_config_file(
      `the configuration file is not valid PHP: ${errorMessage(cause)
        .replace(/^Parse Error\s*:\s*/, '')
        .slice(0, 200)}`,
      { cause },
    );
  }
}

/** The part of the parser's lexer that is used here; its types lack the parameter and the members. */
interface Lexer {
  readonly EOF: number;
  /** The text of the last token. */
  readonly yytext: string;
  setInput(text: string): void;
  lex(): number | string;
}

/** Reads only the tokens, which takes less than a tenth of the time of parsing. Errors: 422 `file_too_complex`. */
function assertParsable(lexer: Lexer, text: string): void {
  let nesting = 0;
  lexer.setInput(text);
  for (let count = 1; lexer.lex() !== lexer.EOF; count += 1) {
    if (count > MAX_TOKENS) throw tooComplex(`has more than ${MAX_TOKENS} words and signs`);
    if (/^(?:[([{]|\$\{|\{\$)$/.test(lexer.yytext)) nesting += 1;
    else if (/^[)\]}]$/.test(lexer.yytext)) nesting -= 1;
    if (nesting > MAX_NESTING) throw tooComplex('is nested too deeply');
  }
}
