/** A line of the log of a container. */
export interface ContainerLine {
  /** RFC 3339 with nanoseconds. */
  readonly at: string;
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}
interface LogPart {
  readonly stream: ContainerLine['stream'];
  readonly bytes: Buffer;
}

const HEADER = 8;
const LINE = /^(\d{4}-\d\d-\d\dT[\d:]{8}(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)) (.*)$/s;
/** Of a line; the rest is cut off. */
const LENGTH = 8192;

/**
 * Takes the answer to `/containers/<id>/logs` as it comes: frames of a stream's number, three zeros, a size and bytes, or for a
 * container with a terminal the bytes alone. Holds no more than the head of a frame.
 */
export class LogFrames {
  #isFramed: boolean | undefined;
  #head = Buffer.alloc(0);
  /** Bytes of the frame that are still to come. */
  #left = 0;
  #stream: ContainerLine['stream'] = 'stdout';

  *take(chunk: Buffer): Generator<LogPart> {
    for (let rest = chunk; rest.length > 0;) {
      if (this.#isFramed === false || this.#left > 0) {
        const bytes = this.#isFramed === false ? rest : rest.subarray(0, this.#left);
        this.#left -= Math.min(this.#left, bytes.length);
        rest = rest.subarray(bytes.length);
        yield { stream: this.#stream, bytes };
      } else rest = this.#takeHead(rest);
    }
  }

  /** Returns what comes after the head, or what is no frame. */
  #takeHead(chunk: Buffer): Buffer {
    const head = Buffer.concat([this.#head, chunk]);
    this.#head = head.subarray(0, HEADER);
    if (head.length < HEADER) return Buffer.alloc(0);
    this.#isFramed ??= head.readUInt32BE(0) % 2 ** 24 === 0 && (head[0] ?? 0) <= 2;
    if (!this.#isFramed) return head;
    this.#stream = head[0] === 2 ? 'stderr' : 'stdout';
    this.#left = head.readUInt32BE(4);
    this.#head = Buffer.alloc(0);
    return head.subarray(HEADER);
  }
}

/** Returns a line with a timestamp; `undefined` for what has none. */
export function parseLine(line: string, stream: ContainerLine['stream']): ContainerLine | undefined {
  const [, at, text] = LINE.exec(line) ?? [];
  return at === undefined || text === undefined ? undefined : { at, stream, text };
}

/**
 * Parses an answer with timestamps. What has no time of its own goes on from the line before. Returns the lines by time: the engine
 * writes the two streams of a container on their own, and a line may come after later ones of the other stream.
 */
export function parseLines(bytes: Buffer): ContainerLine[] {
  const lines: ContainerLine[] = [];
  for (const { stream, bytes: part } of new LogFrames().take(bytes)) {
    for (const line of part.toString().replace(/\n$/, '').split('\n')) {
      const parsed = parseLine(line, stream);
      const before = lines.at(-1);
      if (parsed !== undefined) lines.push({ ...parsed, text: parsed.text.slice(0, LENGTH) });
      else if (before !== undefined)
        lines[lines.length - 1] = { ...before, text: `${before.text}${line}`.slice(0, LENGTH) };
    }
  }
  return lines.toSorted((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)));
}

/** Whether a line contains a text, in letters of either case; all lines contain an empty one. */
export const contains = (line: string, text: string): boolean => line.toLowerCase().includes(text.toLowerCase());

/** Whether a line is from after a time, both of RFC 3339 in UTC. Without `Z`, a second does not come after its parts. */
export const isAfter = (at: string, time: string): boolean => at.replace('Z', '') > time.replace('Z', '');

/** Returns the parameter of the engine for lines from a time on, in whole seconds, to which an engine rounds. */
export const sinceSeconds = (time: string): number => Math.floor(Date.parse(time) / 1000) || 0;
