import { escapeControl } from '../../../kernel/log.ts';
import { LINES_OF_FILE, type FoundFile, type FoundLine } from '../schema.ts';

/** Characters of a line that are told. */
const [BEFORE, AFTER] = [60, 140];

/** Returns a pattern that finds a text as it stands. */
export function linePattern(text: string, isCaseIgnored: boolean): RegExp {
  return new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), isCaseIgnored ? 'giu' : 'gu');
}

/** Returns the first lines of a file in which the pattern is found, each with where it is found first. */
export function findLines(content: string, pattern: RegExp): Pick<FoundFile, 'lines' | 'has_more'> {
  const lines: FoundLine[] = [];
  let [line, counted] = [1, 0];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(content); match !== null; match = pattern.exec(content)) {
    if (lines.length === LINES_OF_FILE) return { lines, has_more: true };
    const [found] = match;
    for (let at = content.indexOf('\n', counted); at >= 0 && at < match.index; at = content.indexOf('\n', counted)) {
      line += 1;
      counted = at + 1;
    }
    const end = match.index + found.length;
    const next = content.indexOf('\n', end);
    const lineEnd = next < 0 ? content.length : next;
    lines.push({
      line,
      before: shown(content, Math.max(counted, match.index - BEFORE), match.index),
      found: shown(content, match.index, end),
      after: shown(content, end, Math.min(lineEnd, end + AFTER)),
    });
    pattern.lastIndex = lineEnd;
  }
  return { lines, has_more: false };
}

/** Returns a part of a text on one line, in which nothing disguises it, and without half of a character at its ends. */
function shown(text: string, from: number, to: number): string {
  const part = text.slice(from, to).replaceAll('\t', ' ').replace(/\r$/, '');
  return escapeControl(part.replace(/^[\udc00-\udfff]/, '').replace(/[\ud800-\udbff]$/, ''));
}
