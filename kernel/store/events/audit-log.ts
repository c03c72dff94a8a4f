import { escapeControl } from '../../log.ts';
import { formatTime } from '../../kit/format.ts';
import type { SqlValue } from '../sqlite/connection.ts';
import type { Store, Tx } from '../store.ts';
import {
  eventsAfter,
  hasEventFrom,
  lastEventId,
  newestEvents,
  searchEvents,
  type EventFilter,
  type EventSearch,
} from './event-search.ts';
import type { LoggedEvent, Occurrence } from './event-types.ts';

/** An event to record in the log. */
export type EventInput = Occurrence & Circumstances;

interface Circumstances {
  /** The account whose activity log shows the event; an event without one belongs to the server. */
  readonly account?: { readonly id: number; readonly username: string };
  /** The user name to show if there is no account. */
  readonly username?: string;
  /** The user's action in the past tense, e.g. `added the domain example.com`. */
  readonly text: string;
  /** The client's IP address; empty for the command line. */
  readonly ip: string;
  /** Milliseconds since 1970; the present unless given. */
  readonly at?: number;
}

interface EventPage {
  readonly lines: string[];
  readonly total: number;
}

/** `isOwn`: whether this process recorded it. */
type Listener = (event: LoggedEvent, isOwn: boolean) => void;

/** The number of events kept for each account; older ones are removed. */
const KEPT = 10_000;
/** Old events that one transaction removes. */
const REMOVED_AT_ONCE = 1000;
/** One event in this many also removes the oldest events of its account. */
const TRIM_EVERY = 256;

/**
 * The log of all events. Each event is written in the same transaction as the change that it describes, so that neither
 * exists without the other. Pages read the log by time, newest first; followers read it onward from an id, at their own pace.
 */
export class AuditLog {
  readonly #store: Store;
  readonly #here: string;
  readonly #listeners = new Set<Listener>();

  /** `here` is the name of this node in its fleet; empty for a node by itself. */
  constructor(store: Store, here: string) {
    this.#store = store;
    this.#here = here;
  }

  /** Records an event in the transaction of its change; listeners are called after the commit. */
  async record(tx: Tx, input: EventInput): Promise<void> {
    const { type, ip, account, at = Date.now() } = input;
    const username = account?.username ?? input.username ?? '';
    const line = escapeControl(
      `[${formatTime(at)}] User '${username}' ${input.text} from ${ip === '' ? 'the command line' : `IP ${ip}`}`,
    );
    // The subselect yields NULL if the account was removed in the meantime.
    const id = await tx.insert(
      'insert into events (at, type, account_id, username, ip, line, folded, data, node) values (?, ?, (select id from accounts where id = ?), ?, ?, ?, ?, ?, ?)',
      at,
      type,
      account?.id ?? null,
      username,
      ip,
      line,
      line.toLowerCase(),
      JSON.stringify(input.data ?? {}),
      this.#here,
    );
    if (account !== undefined && id % TRIM_EVERY === 0) await this.#trim(tx, account.id);
    const event: LoggedEvent = {
      id,
      at,
      type,
      account_id: account?.id ?? null,
      username,
      ip,
      line,
      data: { ...input.data },
      node: this.#here,
    };
    tx.afterCommit(() => {
      for (const listener of this.#listeners) listener(event, true);
    });
  }

  /**
   * Calls the listener after each commit of this process, and soon after those of other workers; returns a function that
   * stops it. Events of further processes, such as the command line, are only in `after`.
   */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Passes on what another worker recorded. */
  heard(event: LoggedEvent): void {
    for (const listener of this.#listeners) listener(event, false);
  }

  /** Resolves with the id of the newest event, or 0: the start for a follower that ignores the past. */
  lastId(): Promise<number> {
    return lastEventId(this.#store);
  }

  /** Resolves with whether a node of a fleet recorded any of the events. Takes seconds where there are millions of others. */
  hasOf(node: string): Promise<boolean> {
    return hasEventFrom(this.#store, node);
  }

  /** Resolves with events of all processes that have a larger id, oldest first. */
  after(id: number, limit: number): Promise<LoggedEvent[]> {
    return eventsAfter(this.#store, {}, limit, id);
  }

  /** Resolves with the newest events that match, or with the oldest after an id; oldest first. */
  find(filter: EventFilter, limit: number, after?: number): Promise<LoggedEvent[]> {
    if (after === undefined) return newestEvents(this.#store, filter, limit);
    return eventsAfter(this.#store, filter, limit, after);
  }

  /**
   * Resolves with events that match, newest first, beginning before an id. Looks at a bounded part of the log, or of the events
   * of an account, so there may be fewer than `limit` although `next`, the id to go on before, is not `null`.
   */
  search(filter: EventFilter, limit: number, before = Number.MAX_SAFE_INTEGER): Promise<EventSearch> {
    return searchEvents(this.#store, filter, limit, before);
  }

  /** Resolves with lines of an account, newest first; `search` is a case-insensitive substring, `limit` -1 = all. */
  async page(accountId: number, search: string, offset: number, limit: number): Promise<EventPage> {
    const matches = search === '' ? '' : ' and instr(folded, ?) > 0';
    const params: SqlValue[] = search === '' ? [accountId] : [accountId, search.toLowerCase()];
    const count = await this.#store.get<{ n: number }>(
      `select count(*) as n from events where account_id = ?${matches}`,
      ...params,
    );
    const total = Math.min(count?.n ?? 0, KEPT);
    const wanted = limit < 0 ? total : Math.max(0, Math.min(limit, total - offset));
    const rows = await this.#store.all<{ line: string }>(
      `select line from events where account_id = ?${matches} order by at desc, id desc limit ? offset ?`,
      ...params,
      wanted,
      offset,
    );
    return { lines: rows.map((row) => row.line), total };
  }

  /**
   * Removes events from before a time, in milliseconds since 1970; resolves with their number. Begins with the oldest and ends
   * at a thousand newer ones in a row, in transactions that no other writer waits for long.
   */
  async removeBefore(time: number, isClosed = (): boolean => false): Promise<number> {
    let removed = 0;
    for (let after = 0; !isClosed();) {
      const next = await this.#store.all<{ id: number; at: number }>(
        'select id, at from events where id > ? order by id limit ?',
        after,
        REMOVED_AT_ONCE,
      );
      const last = next.at(-1)?.id ?? after;
      if (next.every(({ at }) => at >= time)) break;
      const range = [after, last, time];
      removed += await this.#store.write(
        async (tx) => (await tx.run('delete from events where id > ? and id <= ? and at < ?', ...range)).changes,
      );
      after = last;
    }
    return removed;
  }

  async #trim(tx: Tx, accountId: number): Promise<void> {
    await tx.run(
      `delete from events where account_id = ?
        and (at, id) <= (select at, id from events where account_id = ? order by at desc, id desc limit 1 offset ?)`,
      accountId,
      accountId,
      KEPT,
    );
  }
}
