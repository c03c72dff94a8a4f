import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertingHelpers, hasAssertion, statementAt } from './assertions.ts';

/**
 * A comment directly above a test says what the test shows; it goes when the test goes:
 *
 *     // asvs 6.5.1, 6.5.3-4: recovery codes work once
 *     // threat path-prefix: links are not followed, also during
 *     //   a race
 *
 * `asvs` names requirements of `asvs.ts`, `threat` and `attack` a name of `threats.ts`.
 */
export interface Tag {
  readonly kind: 'asvs' | 'threat' | 'attack';
  /** Requirements, or the name of a threat or an attack. */
  readonly subject: string;
  readonly claim: string;
  /** `plugins/notes` for `test/plugins/notes/notes.test.ts`. */
  readonly file: string;
  readonly title: string;
}

export interface TaggedTests {
  readonly tags: readonly Tag[];
  /** Malformed tags, tags without a test below them, and tagged tests without an assertion. */
  readonly problems: readonly string[];
}

const START = /^\s*\/\/ (asvs|threat|attack) /;
const CONTINUATION = /^\s*\/\/ {3}(\S.*)$/;
const TAG = /^(asvs|threat|attack) ([\w., -]+?): (\S.*)$/;
const TEST = /^\s*\w+\((['"`])(.+?)\1, /;

/** Reads the tags of all test files below a folder. */
export function readTaggedTests(folder: string): TaggedTests {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
    .toSorted();
  const all = files.map((path) => parseTaggedTests(path.slice(0, -8), readFileSync(join(folder, path), 'utf8')));
  return { tags: all.flatMap(({ tags }) => tags), problems: all.flatMap(({ problems }) => problems) };
}

/** Reads the tags of one test file. */
export function parseTaggedTests(file: string, source: string): TaggedTests {
  const lines = source.split('\n');
  const helpers = assertingHelpers(source);
  const tags: Tag[] = [];
  const problems: string[] = [];
  for (let i = 0; i < lines.length; i += 1) {
    if (!START.test(lines[i] ?? '')) continue;
    const [texts, end] = commentsFrom(lines, i);
    const [, , title = ''] = TEST.exec(lines[end] ?? '') ?? [];
    if (title === '') problems.push(`${file}:${i + 1}: a tag without a test below it`);
    else if (!hasAssertion(statementAt(lines, end), helpers)) problems.push(`${file}: "${title}" asserts nothing`);
    for (const text of texts) {
      const [, kind, subject = '', claim = ''] = TAG.exec(text) ?? [];
      if (kind === undefined) problems.push(`${file}:${i + 1}: malformed tag: ${text}`);
      else tags.push({ kind: kind as Tag['kind'], subject, claim, file, title });
    }
    i = end;
  }
  return { tags, problems };
}

/** Returns the tags from a line on, continuation lines joined, and the index of the line behind them. */
function commentsFrom(lines: readonly string[], from: number): [string[], number] {
  const texts: string[] = [];
  let i = from;
  for (; i < lines.length; i += 1) {
    const line = lines[i] ?? '';
    const [, more] = CONTINUATION.exec(line) ?? [];
    if (START.test(line)) texts.push(line.trim().slice(3));
    else if (more !== undefined) texts.push(`${texts.pop() ?? ''} ${more.trim()}`);
    else break;
  }
  return [texts, i];
}
