import type { LoggedRequests } from '../../../kernel/areas/sites/request-logs.ts';
import { parseLine } from './line.ts';
import { reading, type Segment } from './segments.ts';

/** Finds where the requests since a time begin, of which only the newest are taken where there are too many. */
export async function requestsSince(
  segments: readonly Segment[],
  since: number,
  mostBytes: number,
): Promise<LoggedRequests> {
  const files: { path: string; from: number; to: number }[] = [];
  let left = mostBytes;
  for (const { path, sizeBytes: to, changedAt } of segments.toReversed()) {
    if (changedAt < since || left <= 0) break;
    const from = (await reading(path, (read) => offsetSince(read, to, since))) ?? to;
    const taken = Math.max(from, to - left);
    files.unshift({ path, from: taken, to });
    left -= to - taken;
    if (from > 0) return { files, isTruncated: taken > from };
  }
  return { files, isTruncated: left <= 0 };
}

/** Searches a file of lines in the order of their times for the first one since a time, and resolves with where it begins. */
async function offsetSince(
  read: (buffer: Buffer, sizeBytes: number, position: number) => Promise<number>,
  sizeBytes: number,
  since: number,
): Promise<number> {
  const buffer = Buffer.allocUnsafe(64 << 10);
  let [low, high] = [0, sizeBytes];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const start = Math.max(0, middle - 1); // from a line break on, a line begins
    const text = buffer.toString('latin1', 0, await read(buffer, Math.min(buffer.length, sizeBytes - start), start));
    const skipped = middle === 0 ? 0 : text.indexOf('\n') + 1;
    const end = text.indexOf('\n', skipped);
    if ((middle > 0 && skipped === 0) || end < 0) {
      high = middle;
      continue;
    }
    const { at } = parseLine('access', text.slice(skipped, end));
    if (at !== null && Date.parse(at) < since) low = start + end + 1;
    else high = middle;
  }
  return low;
}
