import { setTimeout as delay } from 'node:timers/promises';
import type { OwnContainer } from '../../kernel/areas/containers.ts';
import { Stream, type Sink } from '../../kernel/contract/reply.ts';
import type { SharedCounter } from '../../kernel/contract/workers.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { contains, isAfter, type ContainerLine } from '../../kernel/kit/engine/log-lines.ts';
import { EventStreams, formatEvent } from '../../kernel/kit/waiting/event-stream.ts';
import { MOST_LINES } from './schema.ts';

const LIMITS = { all: 100, own: 5 };
/** Lines with which a stream begins, unless some are asked for. */
const FIRST_LINES = 100;
/** The engine may tell a line this much later than lines of the other stream that are newer. */
const LATE_MS = 2000;

/** The lines that are asked for. */
interface Wanted {
  readonly after?: string | undefined;
  readonly text?: string | undefined;
}
export interface LogFollowersParts {
  readonly counter: SharedCounter;
  /** Between two questions for new lines. */
  readonly everyMs: number;
}

/** Sends the lines of containers as they come. The engine is asked again once it has answered and the client has read. */
export class LogFollowers {
  readonly #streams: EventStreams;
  readonly #everyMs: number;

  constructor({ counter, everyMs }: LogFollowersParts) {
    this.#streams = new EventStreams(counter);
    this.#everyMs = everyMs;
  }

  close(): void {
    this.#streams.close();
  }

  /** Returns a stream of the newest lines and those that follow; it ends when the container cannot be asked. Errors: 503 `overloaded`. */
  open(container: OwnContainer, { id }: Account, wanted: Wanted): Stream {
    const open = this.#streams.opening(id, LIMITS, (sink: Sink) => {
      const ended = new AbortController();
      void this.#follow(new LogTail(container, wanted), sink, ended.signal);
      return () => ended.abort();
    });
    return new Stream('text/event-stream', open);
  }

  async #follow(tail: LogTail, sink: Sink, signal: AbortSignal): Promise<void> {
    let sent = 0;
    while (!signal.aborted) {
      if (!sink.isBehind) {
        let lines: readonly ContainerLine[];
        try {
          lines = await tail.next();
        } catch {
          sink.end(); // the client reconnects, and is told then why it cannot
          return;
        }
        for (const line of signal.aborted ? [] : lines) sink.write(formatEvent('line', (sent += 1), line));
      }
      await delay(this.#everyMs, undefined, { signal }).catch(() => undefined); // it is aborted: the stream has ended
    }
  }
}

/** The wanted lines of a log, each once. */
class LogTail {
  readonly #container: OwnContainer;
  readonly #wanted: Wanted;
  /** The time from which lines were not seen yet; `undefined` at first. */
  #after: string | undefined;
  #known = new Set<string>();

  constructor(container: OwnContainer, wanted: Wanted) {
    this.#container = container;
    this.#wanted = wanted;
  }

  async next(): Promise<readonly ContainerLine[]> {
    const lines = await (this.#after === undefined ? this.#first() : this.#container.lines(MOST_LINES, this.#after));
    const { text = '' } = this.#wanted;
    const fresh = lines.filter((line) => !this.#known.has(keyOf(line)) && contains(line.text, text));
    if (lines.length > 0) this.#known = new Set(lines.map(keyOf));
    this.#goOn(lines.at(-1));
    return fresh;
  }

  async #first(): Promise<readonly ContainerLine[]> {
    const { after = '', text = '' } = this.#wanted;
    // a text hides which line is the newest
    if (text !== '') this.#goOn((await this.#container.lines(1, after)).at(-1));
    return this.#container.lines(after === '' && text === '' ? FIRST_LINES : MOST_LINES, after, text);
  }

  /** Asks from about the newest line on next time, and for no lines that are not wanted. */
  #goOn(newest: ContainerLine | undefined): void {
    this.#after ??= this.#wanted.after ?? '';
    const from = newest && beforeLate(newest);
    if (from !== undefined && isAfter(from, this.#after)) this.#after = from;
  }
}

const keyOf = ({ at, stream, text }: ContainerLine): string => `${at} ${stream} ${text}`;

/** Returns the time after which lines may still come. */
function beforeLate({ at }: ContainerLine): string | undefined {
  const time = Date.parse(at);
  return Number.isNaN(time) ? undefined : new Date(time - LATE_MS).toISOString();
}
