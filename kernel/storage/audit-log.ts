import { escapeControl } from '../log.ts';
import { formatTime } from '../system/format.ts';
import type { SqlValue } from './connection.ts';
import type { Store, Tx } from './store.ts';

/**
 * The data of each event by the event's name, `<thing>.<change>`; `undefined` for an event without data. Types only,
 * and empty here: each area declares its own events next to its code:
 * `declare module '<…>/storage/audit-log.ts' { interface EventTypes { … } }`.
 */
export interface EventTypes {}

/** An event's name with the data that belongs to it. */
export type Occurrence = {
  readonly [T in keyof EventTypes]: {
    readonly type: T;
    readonly data?: EventTypes[T];
  } & (undefined extends EventTypes[T] ? unknown : { readonly data: EventTypes[T] });
}[keyof EventTypes];

/** An event to record in the log. */
type EventInput = Occurrence & Circumstances;

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

export interface LoggedEvent {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** One of `EventTypes`, or a type that another version of the program recorded. */
  readonly type: string;
  readonly account_id: number | null;
  readonly username: string;
  readonly ip: string;
  readonly line: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface EventPage {
  readonly lines: string[];
  readonly total: number;
}

/** Which events to find; members that are left out do not restrict. */
export interface EventFilter {
  /** `*` stands for anything, as in `domain.*`. */
  readonly type?: string;
  /** Events of the account, those under its name before it existed or after it was removed included. */
  readonly username?: string;
  /** Empty for the command line. */
  readonly ip?: string;
  /** Milliseconds since 1970. */
  readonly since?: number;
}

type Row = Omit<LoggedEvent, 'data'> & { data: string };

/** The number of events kept for each account; older ones are removed. */
const KEPT = 10_000;
/** One event in this many also removes the oldest events of its account. */
const TRIM_EVERY = 256;

/**
 * The log of all events. Each event is written in the same transaction as the change that it describes, so that neither
 * exists without the other. Pages read the log by time, newest first; followers read it onward from an id, at their own pace.
 */
export class AuditLog {
  readonly #store: Store;
  readonly #listeners = new Set<(event: LoggedEvent) => void>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Records an event in the transaction of its change; listeners are called after the commit. */
  async record(tx: Tx, input: EventInput): Promise<void> {
    const { type, ip, account, at = Date.now() } = input;
    const username = account?.username ?? input.username ?? '';
    const line = escapeControl(
      `[${formatTime(at)}] User '${username}' ${input.text} from ${ip === '' ? 'the command line' : `IP ${ip}`}`,
    );
    // The subselect yields NULL if the account was removed in the meantime.
    const { lastId: id } = await tx.run(
      'insert into events (at, type, account_id, username, ip, line, folded, data) values (?, ?, (select id from accounts where id = ?), ?, ?, ?, ?, ?)',
      at,
      type,
      account?.id ?? null,
      username,
      ip,
      line,
      line.toLowerCase(),
      JSON.stringify(input.data ?? {}),
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
    };
    tx.afterCommit(() => {
      for (const listener of this.#listeners) listener(event);
    });
  }

  /**
   * Calls the listener after each commit of this process; returns a function that stops it. Events of other processes
   * are only in `after`.
   */
  listen(listener: (event: LoggedEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves with the id of the newest event, or 0: the start for a follower that ignores the past. */
  async lastId(): Promise<number> {
    return (await this.#store.get<{ id: number }>('select coalesce(max(id), 0) as id from events'))?.id ?? 0;
  }

  /** Resolves with events of all processes that have a larger id, oldest first. */
  async after(id: number, limit: number): Promise<LoggedEvent[]> {
    const rows = await this.#store.all<Row>(
      'select id, at, type, account_id, username, ip, line, data from events where id > ? order by id limit ?',
      id,
      limit,
    );
    return rows.map((row) => ({ ...row, data: JSON.parse(row.data) as Record<string, unknown> }));
  }

  /** Resolves with the newest events that match, or with the oldest after an id; oldest first. */
  async find({ type, username, ip, since }: EventFilter, limit: number, after?: number): Promise<LoggedEvent[]> {
    const conditions: readonly [sql: string, value: SqlValue | undefined][] = [
      ['type glob ?', type?.replaceAll(/[[?]/g, '[$&]')],
      ['username = ?', username],
      ['ip = ?', ip],
      ['at >= ?', since],
      ['id > ?', after],
    ];
    const given = conditions.filter(([, value]) => value !== undefined);
    const where = given.length === 0 ? '' : `where ${given.map(([sql]) => sql).join(' and ')}`;
    const rows = await this.#store.all<Row>(
      `select id, at, type, account_id, username, ip, line, data from events ${where}
        order by id ${after === undefined ? 'desc' : 'asc'} limit ?`,
      ...given.map(([, value]) => value ?? null),
      limit,
    );
    const found = rows.map((row) => ({ ...row, data: JSON.parse(row.data) as Record<string, unknown> }));
    return after === undefined ? found.toReversed() : found;
  }

  /** Resolves with lines of an account, newest first; `search` is a case-insensitive substring, `limit` -1 = all. */
  async page(accountId: number, search: string, offset: number, limit: number): Promise<EventPage> {
    const matches = search === '' ? '' : ' and instr(folded, ?) > 0';
    const params: SqlValue[] = search === '' ? [accountId] : [accountId, search.toLowerCase()];
    const count = await this.#store.get<{ n: number }>(
      `select min(count(*), ${KEPT}) as n from events where account_id = ?${matches}`,
      ...params,
    );
    const total = count?.n ?? 0;
    const wanted = limit < 0 ? total : Math.max(0, Math.min(limit, total - offset));
    const rows = await this.#store.all<{ line: string }>(
      `select line from events where account_id = ?${matches} order by at desc, id desc limit ? offset ?`,
      ...params,
      wanted,
      offset,
    );
    return { lines: rows.map((row) => row.line), total };
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
