import { setTimeout as delay } from 'node:timers/promises';
import type { ContainerLine, OwnContainer } from '../../kernel/contract/points/containers.ts';
import { Stream, type Sink } from '../../kernel/contract/reply.ts';
import type { SharedCounter } from '../../kernel/contract/workers.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { EventStreams, formatEvent } from '../../kernel/kit/waiting/event-stream.ts';
import { MOST_LINES } from './schema.ts';

const LIMITS = { all: 100, own: 5 };
/** Lines with which a stream begins. */
const FIRST_LINES = 100;
/** The engine may tell a line this much later than lines of the other stream that are newer. */
const LATE_MS = 2000;

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
  open(container: OwnContainer, { id }: Account): Stream {
    const open = this.#streams.opening(id, LIMITS, (sink: Sink) => {
      const ended = new AbortController();
      void this.#follow(container, sink, ended.signal);
      return () => ended.abort();
    });
    return new Stream('text/event-stream', open);
  }

  async #follow(container: OwnContainer, sink: Sink, signal: AbortSignal): Promise<void> {
    let [after, sent, known] = [undefined as string | undefined, 0, new Set<string>()];
    while (!signal.aborted) {
      if (!sink.isBehind) {
        let lines: readonly ContainerLine[];
        try {
          lines = await container.lines(after === undefined ? FIRST_LINES : MOST_LINES, after);
        } catch {
          sink.end(); // the client reconnects, and is told then why it cannot
          return;
        }
        const fresh = lines.filter((line) => !known.has(keyOf(line)));
        for (const line of signal.aborted ? [] : fresh) sink.write(formatEvent('line', (sent += 1), line));
        if (lines.length > 0) known = new Set(lines.map(keyOf));
        after = beforeLate(lines) ?? after ?? '';
      }
      await delay(this.#everyMs, undefined, { signal }).catch(() => undefined); // it is aborted: the stream has ended
    }
  }
}

const keyOf = ({ at, stream, text }: ContainerLine): string => `${at} ${stream} ${text}`;

/** Returns the time after which lines may still come. */
function beforeLate(lines: readonly ContainerLine[]): string | undefined {
  const newest = Date.parse(lines.at(-1)?.at ?? '');
  return Number.isNaN(newest) ? undefined : new Date(newest - LATE_MS).toISOString();
}
