import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { fail } from '../../../kernel/errors.ts';
import type { SharedCounter } from '../../../kernel/contract/workers.ts';
import { Stream, type Sink } from '../../../kernel/contract/reply.ts';
import type { RecentSamples } from './recent-samples.ts';
import type { Sample } from './sample.ts';

const HEARTBEAT_MS = 15_000;
/** How long a client waits before it reconnects. */
const RETRY_MS = 3000;

/** The most open streams of all accounts, of one user and of one administrator. */
type StreamLimits = Readonly<Record<'streams' | 'streams_of_user' | 'streams_of_admin', number>>;

/**
 * Sends each sample to all open streams, as server-sent events. A client that does not keep up gets nothing more until
 * its buffer has drained: it loses samples, and the server's memory stays bounded.
 */
export class Broadcast {
  readonly #sinks = new Set<Sink>();
  readonly #recent: RecentSamples;
  readonly #limits: StreamLimits;
  readonly #counts: SharedCounter;
  readonly #heartbeat: NodeJS.Timeout;

  constructor(recent: RecentSamples, limits: StreamLimits, counts: SharedCounter) {
    this.#counts = counts;
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
    for (const sink of [...this.#sinks]) sink.end();
  }

  send(sample: Sample): void {
    if (sample.isLive && this.#sinks.size > 0) this.#send(sample.event);
  }

  /**
   * Returns a stream that begins with the samples missed since `lastEventId`, or without one with the newest, if there is any
   * that is fresh. Errors: 503 `overloaded`.
   */
  open(lastEventId: string, account: Account, newest?: Sample): Stream {
    if (this.#counts.total >= this.#limits.streams)
      throw fail.overloaded(`the limit of ${this.#limits.streams} open streams is reached`, { retryAfterSeconds: 5 });
    const own = this.#counts.of(String(account.id));
    const limit = account.role === 'admin' ? this.#limits.streams_of_admin : this.#limits.streams_of_user;
    if (own >= limit) throw fail.overloaded(`the account already has ${own} open streams`, { retryAfterSeconds: 5 });
    const fresh = newest === undefined ? [] : [newest];
    return new Stream('text/event-stream', (sink) => {
      const missed = /^\d{1,15}$/.test(lastEventId) ? this.#recent.after(Number(lastEventId)) : fresh;
      sink.write(`retry: ${RETRY_MS}\n\n`);
      for (const sample of missed) if (!sink.write(sample.event)) break;
      this.#sinks.add(sink);
      const release = this.#counts.add(String(account.id));
      return () => {
        this.#sinks.delete(sink);
        release();
      };
    });
  }

  #send(chunk: string): void {
    for (const sink of this.#sinks) if (!sink.isBehind) sink.write(chunk);
  }
}
