/** The process of one download reads the log of a container at the pace of its client. */
import { StringDecoder } from 'node:string_decoder';
import { EngineLibrary, type EngineTarget } from '../../kernel/kit/engine/engine-library.ts';
import { contains, isAfter, LogFrames, parseLine, sinceSeconds } from '../../kernel/kit/engine/log-lines.ts';
import type { JobContext } from '../../kernel/kit/jobs/job.ts';

export interface LogInput {
  readonly target: EngineTarget;
  /** The id of the container. */
  readonly id: string;
  /** Empty for all lines. */
  readonly after: string;
  readonly text: string;
  /** For all of it. */
  readonly timeoutMs: number;
}

const MOST_BYTES = 16 * 2 ** 30;
const PART_BYTES = 256 << 10;
/** A longer line is looked at in pieces. */
const LINE_LENGTH = 64 << 10;

/** Asks with nothing once the engine answers, and then with the lines that are wanted. */
export default async function readLog(input: LogInput, { ask }: JobContext): Promise<null> {
  const { target, id, after, text, timeoutMs } = input;
  const log = await new EngineLibrary(target, { timeoutMs, maxBytes: MOST_BYTES }).logs(id, {
    since: sinceSeconds(after),
  });
  await ask(null);
  const frames = new LogFrames();
  const outputs = { stdout: new OutputLines(after, text), stderr: new OutputLines(after, text) };
  let part = '';
  for await (const chunk of log as AsyncIterable<Buffer>)
    for (const { stream, bytes } of frames.take(chunk)) {
      part += outputs[stream].take(bytes);
      if (part.length < PART_BYTES) continue;
      await ask(null, Buffer.from(part));
      part = '';
    }
  const last = Buffer.from(part + outputs.stdout.end() + outputs.stderr.end());
  if (last.length > 0) await ask(null, last);
  return null;
}

/** The lines of one output of a container. */
class OutputLines {
  readonly #after: string;
  readonly #text: string;
  readonly #decoder = new StringDecoder();
  #rest = '';
  #isWanted = false;

  constructor(after: string, text: string) {
    this.#after = after;
    this.#text = text;
  }

  /** Returns the wanted lines that are complete, or long. */
  take(bytes: Buffer): string {
    const lines = (this.#rest + this.#decoder.write(bytes)).split('\n');
    this.#rest = lines.pop() ?? '';
    const whole = lines.map((line) => this.#wanted(`${line}\n`)).join('');
    return this.#rest.length < LINE_LENGTH ? whole : whole + this.end();
  }

  end(): string {
    const rest = this.#wanted(this.#rest);
    this.#rest = '';
    return rest;
  }

  /** Returns a line if it is wanted; one without a time of its own is if the line before was. */
  #wanted(line: string): string {
    const parsed = parseLine(line, 'stdout');
    if (parsed !== undefined) this.#isWanted = isAfter(parsed.at, this.#after) && contains(parsed.text, this.#text);
    return this.#isWanted ? line : '';
  }
}
