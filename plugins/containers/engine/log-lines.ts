import type { ContainerLine } from '../../../kernel/contract/points/containers.ts';

const HEADER = 8;
const LINE = /^(\d{4}-\d\d-\d\dT[\d:]{8}(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)) (.*)$/s;
/** Of a line; the rest is cut off. */
const LENGTH = 8192;

/**
 * Parses `/containers/<id>/logs` with timestamps: frames of a stream's number, three zeros, a size and text, or for a container
 * with a terminal the text alone. What has no time of its own goes on from the line before. Returns the lines by time: the engine
 * writes the two streams of a container on their own, and a line may come after later ones of the other stream.
 */
export function parseLines(bytes: Buffer): ContainerLine[] {
  const lines: ContainerLine[] = [];
  for (const { stream, text } of frames(bytes)) {
    for (const line of text.replace(/\n$/, '').split('\n')) {
      const [, at, rest] = LINE.exec(line) ?? [];
      const before = lines.at(-1);
      if (at !== undefined && rest !== undefined) lines.push({ at, stream, text: rest.slice(0, LENGTH) });
      else if (before !== undefined)
        lines[lines.length - 1] = { ...before, text: `${before.text}${line}`.slice(0, LENGTH) };
    }
  }
  return lines.toSorted((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)));
}

function* frames(bytes: Buffer): Generator<Pick<ContainerLine, 'stream' | 'text'>> {
  const isFramed = bytes.length >= HEADER && bytes.readUInt32BE(0) % 2 ** 24 === 0 && (bytes[0] ?? 0) <= 2;
  if (!isFramed) return yield { stream: 'stdout', text: bytes.toString() };
  for (let at = 0; at + HEADER <= bytes.length;) {
    const end = at + HEADER + bytes.readUInt32BE(at + 4);
    yield { stream: bytes[at] === 2 ? 'stderr' : 'stdout', text: bytes.subarray(at + HEADER, end).toString() };
    at = end;
  }
}
