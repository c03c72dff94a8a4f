import { Recurring } from '../../../kernel/kit/waiting/recurring.ts';
import type { AuditLog } from '../../../kernel/store/events/audit-log.ts';
import type { Log } from '../../../kernel/log.ts';
import { deliveryBody } from './delivery.ts';
import { CHANGES } from '../events.ts';
import type { Endpoints } from './endpoints.ts';
import type { DeliveryQueue } from '../store.ts';

const PAGE = 200;
/** How often the log is checked for events of other processes, such as the command line. */
const POLL_MS = 2000;
/** How many events without a subscriber may be read again after a crash. */
const MAX_UNSAVED = 1000;

interface FollowerParts {
  readonly events: AuditLog;
  readonly queue: DeliveryQueue;
  readonly endpoints: Endpoints;
  readonly backlog: number;
  readonly log: Log;
  /** Whether this node follows the log; only one node of a fleet does. */
  readonly isLeading: () => boolean;
}

/** Follows the event log and queues each event for the endpoints that subscribe to its type. */
export class EventFollower {
  readonly #parts: FollowerParts;
  readonly #unlisten: () => void;
  readonly #reading: Recurring;
  /** `undefined` until the place is known where the last node, or the last run, ended. */
  #cursor: number | undefined;
  #saved = 0;
  #isClosed = false;

  private constructor(parts: FollowerParts) {
    this.#parts = parts;
    this.#unlisten = parts.events.listen(() => this.wake());
    this.#reading = new Recurring({
      run: () => this.#read(),
      failed: (err) => parts.log.warn({ err }, 'the event log could not be read; will retry'),
      everyMs: POLL_MS,
    });
  }

  /** Resumes where the previous run ended; the first run begins with the next event. */
  static async start(parts: FollowerParts): Promise<EventFollower> {
    const follower = new EventFollower(parts);
    if (parts.isLeading()) await follower.#begin();
    follower.wake();
    return follower;
  }

  wake(): void {
    this.#reading.wake();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unlisten();
    await this.#reading.close();
    if (this.#cursor !== undefined && this.#cursor !== this.#saved && this.#parts.isLeading())
      await this.#parts.queue.add(this.#cursor, [], this.#parts.backlog);
  }

  async #read(): Promise<void> {
    if (!this.#parts.isLeading()) this.#cursor = undefined;
    while (!this.#isClosed && this.#parts.isLeading() && (await this.#page()));
  }

  async #begin(): Promise<number> {
    const { events, queue, backlog, endpoints } = this.#parts;
    await endpoints.refresh(); // another node may have led, and read of changes
    let cursor = await queue.cursor();
    if (cursor === undefined) {
      cursor = await events.lastId();
      await queue.add(cursor, [], backlog);
    }
    this.#saved = cursor;
    return (this.#cursor = cursor);
  }

  /** Queues the next events; resolves with whether there may be more. An endpoint that was added gets those after that. */
  async #page(): Promise<boolean> {
    const { events, queue, endpoints, backlog, log } = this.#parts;
    const found = await events.after(this.#cursor ?? (await this.#begin()), PAGE);
    const change = found.findIndex(({ type }) => CHANGES.has(type));
    const page = change < 0 ? found : found.slice(0, change + 1);
    const last = page.at(-1);
    if (last === undefined) return false;
    const deliveries = page.flatMap((event) =>
      endpoints.all
        .filter((each) => each.wants(event.type))
        .map(({ key }) => ({ endpoint: key, eventId: event.id, body: deliveryBody(event) })),
    );
    if (deliveries.length > 0 || last.id - this.#saved > MAX_UNSAVED) {
      const dropped = await queue.add(last.id, deliveries, backlog);
      if (dropped > 0) log.warn({ dropped }, 'an endpoint does not keep up; dropped its oldest deliveries');
      this.#saved = last.id;
    }
    this.#cursor = last.id;
    if (change >= 0) await endpoints.refresh();
    if (page.some(({ type }) => type === 'webhook.requeued')) for (const endpoint of endpoints.all) endpoint.retry();
    else if (deliveries.length > 0) for (const endpoint of endpoints.all) endpoint.wake();
    return found.length === PAGE || change >= 0;
  }
}
