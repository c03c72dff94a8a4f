import type { Locales } from '../../kernel/config/locales.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { LogThrottle, type Log } from '../../kernel/log.ts';
import type { SharedCounter } from '../../kernel/contract/workers.ts';
import { Stream, type Sink } from '../../kernel/contract/reply.ts';
import { EventStreams, formatEvent, parseLastEventId } from '../../kernel/kit/waiting/event-stream.ts';
import type { AuditLog } from '../../kernel/store/events/audit-log.ts';
import type { EventFilter } from '../../kernel/store/events/event-search.ts';
import { eventView } from './event-view.ts';

/** How often the log is asked for events of other processes, such as the command line, and for clients that fell behind. */
const POLL_MS = 1000;
const PAGE = 200;
/** How far back `Last-Event-ID` reaches. */
const MISSED = 10_000;
const LIMITS = { all: 200, own: 20 };

interface Follower {
  readonly sink: Sink;
  readonly filter: EventFilter;
  readonly language: string;
  /** The last event that was looked at. */
  position: number;
  isReading: boolean;
}

/** Who opens a stream, and in what language. */
interface StreamReader {
  readonly account: Account;
  readonly language: string;
  readonly lastEventId: string;
}

/**
 * Sends events to all open streams. Each reads the log from its own position, and reads on only while its client keeps up, so
 * that nothing is lost and nothing is kept in memory.
 */
export class EventFollowers {
  readonly #events: AuditLog;
  readonly #locales: Locales;
  readonly #log: Log;
  readonly #throttle = new LogThrottle();
  readonly #followers = new Set<Follower>();
  readonly #streams: EventStreams;
  readonly #unlisten: () => void;
  readonly #poll: NodeJS.Timeout;

  constructor(events: AuditLog, locales: Locales, log: Log, counter: SharedCounter) {
    this.#locales = locales;
    this.#streams = new EventStreams(counter);
    this.#events = events;
    this.#log = log;
    this.#unlisten = events.listen(() => this.#wake());
    this.#poll = setInterval(() => this.#wake(), POLL_MS).unref();
  }

  close(): void {
    this.#unlisten();
    clearInterval(this.#poll);
    this.#streams.close();
  }

  /**
   * Resolves with a stream that begins with the events missed since `lastEventId`. It is known where it begins before the
   * client is answered, so that what happens after the answer is in it. Errors: 503 `overloaded`.
   */
  async open(filter: EventFilter, { lastEventId, account, language }: StreamReader): Promise<Stream> {
    const last = await this.#events.lastId();
    const from = Math.min(parseLastEventId(lastEventId) ?? last, last);
    const position = Math.max(from, last - MISSED);
    const open = this.#streams.opening(account.id, LIMITS, (sink: Sink) => {
      const follower: Follower = { sink, filter, language, position, isReading: false };
      this.#followers.add(follower);
      void this.#read(follower);
      return () => this.#followers.delete(follower);
    });
    return new Stream('text/event-stream', open);
  }

  #wake(): void {
    for (const follower of this.#followers) void this.#read(follower);
  }

  /** Sends what there is after the follower's position; an event during that is seen by the next call. */
  async #read(follower: Follower): Promise<void> {
    const { sink, filter, language } = follower;
    if (follower.isReading) return;
    follower.isReading = true;
    try {
      while (this.#followers.has(follower) && !sink.isBehind) {
        const last = await this.#events.lastId();
        if (follower.position === last) break;
        const found = await this.#events.find(filter, PAGE, follower.position);
        for (const event of found)
          sink.write(formatEvent('event', event.id, eventView(event, this.#locales, language)));
        follower.position = found.length === PAGE ? (found.at(-1)?.id ?? last) : Math.max(last, found.at(-1)?.id ?? 0);
      }
    } catch (error) {
      if (this.#throttle.isDue('read')) this.#log.warn({ err: error }, 'the event log could not be read; will retry');
    }
    follower.isReading = false;
  }
}
