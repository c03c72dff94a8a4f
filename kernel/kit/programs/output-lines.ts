import type { Readable } from 'node:stream';

/** Calls back with each line, without its end, and waits for that. Of a line that is longer than `longest` the rest is left out. */
export async function lines(
  stream: Readable,
  onLine: (line: string) => void | Promise<void>,
  longest = 1 << 20,
): Promise<void> {
  let rest = '';
  for await (const text of stream.setEncoding('utf8') as AsyncIterable<string>) {
    const found = `${rest}${text}`.split('\n');
    rest = (found.pop() ?? '').slice(0, longest);
    for (const line of found) await onLine(line);
  }
  if (rest !== '') await onLine(rest);
}
