/** Finds tests without an assertion in source text laid out by Prettier: a block ends at its own indentation. */

const COMMENT_OR_STRING = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;
/** A function whose name begins with `assert`, or what asserts by rows; see `test/support/scenario.ts`. */
const ASSERTION = /\bassert(?:\.\w|\w*\()|\.(?:asks|rows)[<(]/;
const FUNCTION = /^\s*(?:export )?(?:(?:async )?function\*? (\w+)|const (\w+) = (?:async )?(?:\(|<|\w+ =>))/;

/** Returns the statement that begins at a line. */
export function statementAt(lines: readonly string[], start: number): string {
  const first = lines[start] ?? '';
  const indentation = first.length - first.trimStart().length;
  let end = start;
  if (!first.endsWith(';'))
    for (end = start + 1; end < lines.length; end += 1) {
      const line = lines[end] ?? '';
      if (line.length - line.trimStart().length === indentation && /^\s*[)\]}].*[;}]$/.test(line)) break;
    }
  return lines.slice(start, end + 1).join('\n');
}

/** Returns the names of the functions in a file that assert, directly or through each other. */
export function assertingHelpers(source: string): ReadonlySet<string> {
  const lines = source.split('\n');
  const functions = lines.flatMap((line, i) => {
    const [, declared, assigned] = FUNCTION.exec(line) ?? [];
    const name = declared ?? assigned;
    return name === undefined ? [] : [{ name, body: statementAt(lines, i) }];
  });
  const found = new Set<string>();
  for (let size = -1; size < found.size;) {
    size = found.size;
    for (const { name, body } of functions) if (hasAssertion(body, found)) found.add(name);
  }
  return found;
}

/** Whether code calls what asserts, or one of the helpers. */
export function hasAssertion(code: string, helpers: ReadonlySet<string>): boolean {
  const text = code.replace(COMMENT_OR_STRING, '');
  return (
    ASSERTION.test(text.replace(/^\s*(?:async )?function\*? \w+/, '')) ||
    [...helpers].some((name) => new RegExp(`(?<!function )\\b${name}\\(`).test(text))
  );
}
