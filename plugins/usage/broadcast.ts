import { retryLater } from '../../kernel/errors.ts';
import { Stream, type Sink } from '../../kernel/reply.ts';
import type { Recent } from './recent.ts';
import type { Sample } from './sample.ts';

const HEARTBEAT_MS = 15_000;
/** How long a client waits before it comes back. */
const RETRY_MS = 3000;

/**
 * Sends each sample to all who follow, as server-sent events. To whom does not keep up nothing is sent until what
 * waits for it is gone: it loses samples, and the server's memory stays its own.
 */
export class Broadcast {
  readonly #sinks = new Set<Sink>();
  readonly #recent: Recent;
  readonly #limit: number;
  readonly #heartbeat: NodeJS.Timeout;

  constructor(recent: Recent, limit: number) {
    this.#recent = recent;
    this.#limit = limit;
    this.#heartbeat = setInterval(() => this.#send(': still here\n\n'), HEARTBEAT_MS).unref();
  }

  get size(): number {
    return this.#sinks.size;
  }

  /** Ends all streams; their clients come back to whoever answers then, as after a change of the configuration. */
  close(): void {
    clearInterval(this.#heartbeat);
    for (const sink of [...this.#sinks]) sink.end();
  }

  send(sample: Sample): void {
    if (sample.isLive && this.#sinks.size > 0) this.#send(sample.event);
  }

  /** A stream that begins with what was missed since `lastEventId`. Errors: 503 `overloaded`. */
  open(lastEventId: string): Stream {
    if (this.#sinks.size >= this.#limit) throw retryLater('overloaded', `${this.#limit} streams are open already`, 5);
    return new Stream('text/event-stream', (sink) => {
      const missed = /^\d{1,15}$/.test(lastEventId) ? this.#recent.after(Number(lastEventId)) : [];
      sink.write(`retry: ${RETRY_MS}\n\n`);
      for (const sample of missed) if (!sink.write(sample.event)) break;
      this.#sinks.add(sink);
      return () => this.#sinks.delete(sink);
    });
  }

  #send(chunk: string): void {
    for (const sink of this.#sinks) if (!sink.isBehind) sink.write(chunk);
  }
}
