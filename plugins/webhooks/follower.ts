import type { AuditLog } from '../../kernel/storage/audit-log.ts';
import type { Log } from '../../kernel/log.ts';
import { bodyOf } from './delivery.ts';
import type { Endpoint } from './endpoint.ts';
import type { DeliveryQueue } from './store.ts';

const PAGE = 200;
/** Events of other processes, such as the command line, are looked for this often. */
const POLL_MS = 2000;
/** Events that nobody wants are looked at again after a crash; at most so many. */
const UNSAVED_AT_MOST = 1000;

/** Reads the event log onward and puts what an endpoint wants into its queue. */
export class EventFollower {
  readonly #parts: {
    readonly events: AuditLog;
    readonly queue: DeliveryQueue;
    readonly endpoints: readonly Endpoint[];
    readonly backlog: number;
    readonly log: Log;
  };
  readonly #unlisten: () => void;
  readonly #timer: NodeJS.Timeout;
  #cursor: number;
  #saved: number;
  #reading: Promise<void> | undefined;
  #isWoken = false;
  #isClosed = false;

  private constructor(
    cursor: number,
    parts: { events: AuditLog; queue: DeliveryQueue; endpoints: readonly Endpoint[]; backlog: number; log: Log },
  ) {
    this.#parts = parts;
    this.#cursor = cursor;
    this.#saved = cursor;
    this.#unlisten = parts.events.listen(() => this.wake());
    this.#timer = setInterval(() => this.wake(), POLL_MS).unref();
  }

  /** Begins where it ended, and the first time with what happens from now on. */
  static async start(parts: {
    events: AuditLog;
    queue: DeliveryQueue;
    endpoints: readonly Endpoint[];
    backlog: number;
    log: Log;
  }): Promise<EventFollower> {
    let cursor = await parts.queue.cursor();
    if (cursor === undefined) {
      cursor = await parts.events.lastId();
      await parts.queue.add(cursor, [], parts.backlog);
    }
    const follower = new EventFollower(cursor, parts);
    follower.wake();
    return follower;
  }

  wake(): void {
    this.#isWoken = true;
    if (!this.#isClosed) this.#reading ??= this.#read();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unlisten();
    clearInterval(this.#timer);
    await this.#reading;
    if (this.#cursor !== this.#saved) await this.#parts.queue.add(this.#cursor, [], this.#parts.backlog);
  }

  async #read(): Promise<void> {
    try {
      while (this.#isWoken && !this.#isClosed) {
        this.#isWoken = false;
        while (!this.#isClosed && (await this.#page()) === PAGE);
      }
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'the event log could not be followed; trying again');
    }
    this.#reading = undefined; // in the same breath as the look at #isWoken
  }

  async #page(): Promise<number> {
    const { events, queue, endpoints, backlog, log } = this.#parts;
    const page = await events.after(this.#cursor, PAGE);
    const last = page.at(-1);
    if (last === undefined) return 0;
    const deliveries = page.flatMap((event) =>
      endpoints
        .filter((each) => each.wants(event.type))
        .map(({ key }) => ({ endpoint: key, eventId: event.id, body: bodyOf(event) })),
    );
    if (deliveries.length > 0 || last.id - this.#saved > UNSAVED_AT_MOST) {
      const dropped = await queue.add(last.id, deliveries, backlog);
      if (dropped > 0) log.warn({ dropped }, 'an endpoint does not keep up; its oldest deliveries are dropped');
      this.#saved = last.id;
    }
    this.#cursor = last.id;
    if (deliveries.length > 0) for (const endpoint of endpoints) endpoint.wake();
    return page.length;
  }
}
