import type { Account } from '../../../kernel/identity/accounts.ts';
import { retryLater } from '../../../kernel/errors.ts';
import { Stream, type Sink } from '../../../kernel/plugin-api/reply.ts';
import type { RecentSamples } from './recent-samples.ts';
import type { Sample } from './sample.ts';

const HEARTBEAT_MS = 15_000;
/** How long a client waits before it reconnects. */
const RETRY_MS = 3000;

/**
 * Sends each sample to all open streams, as server-sent events. A client that does not keep up gets nothing more until
 * its buffer has drained: it loses samples, and the server's memory stays bounded.
 */
export class Broadcast {
  /** By sink, the account that opened it. */
  readonly #sinks = new Map<Sink, Account>();
  readonly #recent: RecentSamples;
  readonly #limits: { readonly streams: number; readonly streams_of_user: number };
  readonly #heartbeat: NodeJS.Timeout;

  constructor(recent: RecentSamples, limits: { readonly streams: number; readonly streams_of_user: number }) {
    this.#recent = recent;
    this.#limits = limits;
    this.#heartbeat = setInterval(() => this.#send(': still here\n\n'), HEARTBEAT_MS).unref();
  }

  get size(): number {
    return this.#sinks.size;
  }

  /** Ends all streams. Their clients reconnect to the next instance of the plugin, for example after a reload. */
  close(): void {
    clearInterval(this.#heartbeat);
    for (const sink of [...this.#sinks.keys()]) sink.end();
  }

  send(sample: Sample): void {
    if (sample.isLive && this.#sinks.size > 0) this.#send(sample.event);
  }

  /** Returns a stream that begins with the samples missed since `lastEventId`. Errors: 503 `overloaded`. */
  open(lastEventId: string, account: Account): Stream {
    if (this.#sinks.size >= this.#limits.streams)
      throw retryLater('overloaded', `the limit of ${this.#limits.streams} open streams is reached`, 5);
    const own = account.role === 'admin' ? -1 : [...this.#sinks.values()].filter(({ id }) => id === account.id).length;
    if (own >= this.#limits.streams_of_user)
      throw retryLater('overloaded', `the account already has ${own} open streams`, 5);
    return new Stream('text/event-stream', (sink) => {
      const missed = /^\d{1,15}$/.test(lastEventId) ? this.#recent.after(Number(lastEventId)) : [];
      sink.write(`retry: ${RETRY_MS}\n\n`);
      for (const sample of missed) if (!sink.write(sample.event)) break;
      this.#sinks.set(sink, account);
      return () => this.#sinks.delete(sink);
    });
  }

  #send(chunk: string): void {
    for (const sink of this.#sinks.keys()) if (!sink.isBehind) sink.write(chunk);
  }
}
