import type { Account } from '../../kernel/identity/accounts/account.ts';
import { fail } from '../../kernel/errors.ts';
import { LogThrottle, type Log } from '../../kernel/log.ts';
import type { SharedCounter } from '../../kernel/contract/workers.ts';
import { Stream, type Sink } from '../../kernel/contract/reply.ts';
import type { AuditLog } from '../../kernel/store/events/audit-log.ts';
import type { EventFilter } from '../../kernel/store/events/event-search.ts';
import { eventView } from './event-view.ts';

/** How often the log is asked for events of other processes, such as the command line, and for clients that fell behind. */
const POLL_MS = 1000;
const HEARTBEAT_MS = 15_000;
/** How long a client waits before it reconnects. */
const RETRY_MS = 3000;
const PAGE = 200;
/** How far back `Last-Event-ID` reaches. */
const MISSED = 10_000;
const OF_ALL = 200;
const OF_ADMIN = 20;

interface Follower {
  readonly sink: Sink;
  readonly filter: EventFilter;
  /** The last event that was looked at. */
  position: number;
  isReading: boolean;
}

/**
 * Sends events to all open streams. Each reads the log from its own position, and reads on only while its client keeps up, so
 * that nothing is lost and nothing is kept in memory.
 */
export class EventStreams {
  readonly #events: AuditLog;
  readonly #log: Log;
  readonly #throttle = new LogThrottle();
  readonly #followers = new Set<Follower>();
  readonly #counts: SharedCounter;
  readonly #unlisten: () => void;
  readonly #timers: readonly NodeJS.Timeout[];

  constructor(events: AuditLog, log: Log, counts: SharedCounter) {
    this.#counts = counts;
    this.#events = events;
    this.#log = log;
    this.#unlisten = events.listen(() => this.#wake());
    this.#timers = [
      setInterval(() => this.#wake(), POLL_MS).unref(),
      setInterval(() => this.#beat(), HEARTBEAT_MS).unref(),
    ];
  }

  close(): void {
    this.#unlisten();
    for (const timer of this.#timers) clearInterval(timer);
    for (const { sink } of [...this.#followers]) sink.end();
  }

  /**
   * Resolves with a stream that begins with the events missed since `lastEventId`. It is known where it begins before the
   * client is answered, so that what happens after the answer is in it. Errors: 503 `overloaded`.
   */
  async open(filter: EventFilter, lastEventId: string, { id }: Account): Promise<Stream> {
    const last = await this.#events.lastId();
    const from = /^\d{1,15}$/.test(lastEventId) ? Math.min(Number(lastEventId), last) : last;
    const position = Math.max(from, last - MISSED);
    const [own, all] = [this.#counts.of(String(id)), this.#counts.total];
    if (all >= OF_ALL || own >= OF_ADMIN)
      throw fail.overloaded(`there are ${own} open streams of this account, ${all} in all`, { retryAfterSeconds: 5 });
    return new Stream('text/event-stream', (sink) => {
      const follower: Follower = { sink, filter, position, isReading: false };
      this.#followers.add(follower);
      const release = this.#counts.add(String(id));
      sink.write(`retry: ${RETRY_MS}\n\n`);
      void this.#read(follower);
      return () => {
        this.#followers.delete(follower);
        release();
      };
    });
  }

  #wake(): void {
    for (const follower of this.#followers) void this.#read(follower);
  }

  #beat(): void {
    for (const { sink } of this.#followers) if (!sink.isBehind) sink.write(': still here\n\n');
  }

  /** Sends what there is after the follower's position; an event during that is seen by the next call. */
  async #read(follower: Follower): Promise<void> {
    const { sink, filter } = follower;
    if (follower.isReading) return;
    follower.isReading = true;
    try {
      while (this.#followers.has(follower) && !sink.isBehind) {
        const last = await this.#events.lastId();
        if (follower.position === last) break;
        const found = await this.#events.find(filter, PAGE, follower.position);
        for (const event of found) sink.write(chunkOf(eventView(event)));
        follower.position = found.length === PAGE ? (found.at(-1)?.id ?? last) : Math.max(last, found.at(-1)?.id ?? 0);
      }
    } catch (error) {
      if (this.#throttle.isDue('read')) this.#log.warn({ err: error }, 'the event log could not be read; will retry');
    }
    follower.isReading = false;
  }
}

const chunkOf = (event: ReturnType<typeof eventView>): string =>
  `id: ${event.id}\nevent: event\ndata: ${JSON.stringify(event)}\n\n`;
