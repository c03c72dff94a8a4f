import type { LogLine } from '../schema.ts';
import type { LogFilter } from './filter.ts';
import { parseLine } from './line.ts';
import { reading, type Kind, type SiteFolders } from './segments.ts';

const BLOCK_BYTES = 64 << 10;
/** Bounds of one request; the next one goes on from there. */
const MOST_BYTES = 8 << 20;
const MOST_MS = 1000;
/** A longer line is split. */
const LONGEST_BYTES = 64 << 10;

/** Where a page ends: before this byte of a file. */
interface Place {
  readonly segment: number;
  readonly before: number;
}
export interface Page {
  readonly lines: LogLine[];
  /** Where the next page begins; `null` after the oldest line. */
  readonly next: string | null;
}

interface Budget {
  bytes: number;
  readonly untilMs: number;
}

/** Returns the newest lines before a cursor, the newest first; the page has fewer where many were passed over. */
export async function tail(
  folders: SiteFolders,
  { domainId, kind, filter }: { readonly domainId: number; readonly kind: Kind; readonly filter: LogFilter },
  { limit, cursor }: { readonly limit: number; readonly cursor: string },
): Promise<Page> {
  const from = parsePlace(cursor);
  const lines: LogLine[] = [];
  const budget = { bytes: MOST_BYTES, untilMs: performance.now() + MOST_MS };
  const segments = (await folders.segments(domainId, kind)).toReversed();
  for (const { path, number, sizeBytes } of segments) {
    if (from !== undefined && number > from.segment) continue;
    let before = number === from?.segment ? Math.min(from.before, sizeBytes) : sizeBytes;
    let isOver = false;
    await reading(path, async (read) => {
      for await (const [text, begin] of linesBackwards(read, before, budget)) {
        before = begin;
        if (!filter.mayTake(text)) continue;
        const line = parseLine(kind, text);
        if ((isOver = filter.isBefore(line))) return;
        if (filter.takes(line) && lines.push(line) === limit) return;
      }
    });
    if (isOver) return { lines, next: null };
    if (before > 0) return { lines, next: `${number}.${before}` };
    if (lines.length === limit) return { lines, next: number === segments.at(-1)?.number ? null : `${number}.0` };
  }
  return { lines, next: null };
}

function parsePlace(cursor: string): Place | undefined {
  const [segment = '', before = ''] = cursor.split('.');
  return cursor === '' ? undefined : { segment: Number(segment), before: Number(before) };
}

/** Reads the lines of a file from its end, each with where it begins, until the budget is used up. */
async function* linesBackwards(
  read: (buffer: Buffer, sizeBytes: number, position: number) => Promise<number>,
  end: number,
  budget: Budget,
): AsyncGenerator<readonly [text: string, begin: number]> {
  const buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  let rest = '';
  for (let position = end; position > 0;) {
    if (budget.bytes <= 0 || performance.now() > budget.untilMs) return;
    const size = Math.min(BLOCK_BYTES, position);
    const bytesRead = await read(buffer, size, position - size);
    if (bytesRead < size) return; // it was cut off meanwhile
    position -= size;
    budget.bytes -= size;
    const text = buffer.toString('latin1', 0, size) + rest;
    let stop = text.endsWith('\n') ? text.length - 1 : text.length;
    for (let newline; stop > 0 && (newline = text.lastIndexOf('\n', stop - 1)) >= 0; stop = newline)
      if (newline + 1 < stop) yield [text.slice(newline + 1, stop), position + newline + 1];
    rest = text.slice(0, stop);
    if (rest.length > LONGEST_BYTES || position === 0) {
      if (rest !== '') yield [rest, position];
      rest = '';
    }
  }
}
