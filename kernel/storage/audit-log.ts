import { escapeControl } from '../log.ts';
import type { Static, TObject } from '../schema.ts';
import { formatTime } from '../system/format.ts';
import type { SqlValue } from './sqlite/connection.ts';
import type { Store, Tx } from './store.ts';

/** Events by name, `<thing>.<change>`: what has happened, as a sentence, and the members of its data, if it has any. */
export type EventTable = Readonly<Record<string, { readonly text: string; readonly data?: TObject }>>;

type Sent<S> = { readonly [K in keyof S]: S[K] extends readonly (infer T)[] ? readonly T[] : S[K] };

/** The data of each event of a table; `undefined` for an event without data. */
export type EventData<T extends EventTable> = {
  readonly [K in keyof T]: T[K] extends { readonly data: infer S extends TObject } ? Sent<Static<S>> : undefined;
};

/**
 * The data of each event by the event's name. Types only, and empty here: each area declares its own events from its
 * table, next to its code: `declare module '<…>/storage/audit-log.ts' { interface EventTypes extends EventData<…> {} }`.
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
  /** The node of a fleet that recorded it; empty for a node by itself. */
  readonly node: string;
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
  readonly node?: string;
  /** Milliseconds since 1970. */
  readonly since?: number;
}

interface EventSearch {
  readonly events: LoggedEvent[];
  readonly next: number | null;
}

/** `isOwn`: whether this process recorded it. */
type Listener = (event: LoggedEvent, isOwn: boolean) => void;
type Row = Omit<LoggedEvent, 'data'> & { data: string };
type Condition = readonly [sql: string, value: SqlValue | undefined];

/** The number of events kept for each account; older ones are removed. */
const KEPT = 10_000;
/** How many events a search looks at: some milliseconds. */
const SEARCHED = 20_000;
/** Old events that one transaction removes. */
const REMOVED_AT_ONCE = 1000;
/** One event in this many also removes the oldest events of its account. */
const TRIM_EVERY = 256;
const COLUMNS = 'id, at, type, account_id, username, ip, line, data, node';

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
  async lastId(): Promise<number> {
    return (await this.#store.get<{ id: number }>('select coalesce(max(id), 0) as id from events'))?.id ?? 0;
  }

  /** Resolves with events of all processes that have a larger id, oldest first. */
  async after(id: number, limit: number): Promise<LoggedEvent[]> {
    const rows = await this.#store.all<Row>(
      `select ${COLUMNS} from events where id > ? order by id limit ?`,
      id,
      limit,
    );
    return rows.map((row) => ({ ...row, data: JSON.parse(row.data) as Record<string, unknown> }));
  }

  /** Resolves with the newest events that match, in many small searches, or with the oldest after an id; oldest first. */
  async find(filter: EventFilter, limit: number, after?: number): Promise<LoggedEvent[]> {
    if (after !== undefined) return this.#matching(filter, [['id > ?', after]], 'asc', limit);
    const found: LoggedEvent[] = [];
    let next: number | null = Number.MAX_SAFE_INTEGER;
    while (next !== null && found.length < limit) {
      const page: EventSearch = await this.search(filter, limit - found.length, next);
      found.push(...page.events);
      next = page.next;
    }
    return found.toReversed();
  }

  /**
   * Resolves with events that match, newest first, beginning before an id. Looks at a bounded part of the log, or of the events
   * of an account, so there may be fewer than `limit` although `next`, the id to go on before, is not `null`.
   */
  async search(filter: EventFilter, limit: number, before = Number.MAX_SAFE_INTEGER): Promise<EventSearch> {
    const oldest = await this.#oldestSearched(filter, before);
    const events = await this.#matching(
      filter,
      [
        ['id < ?', before],
        ['id >= ?', oldest],
      ],
      'desc',
      limit,
    );
    if (events.length === limit) return { events, next: events.at(-1)?.id ?? null };
    const { username, since = 0 } = filter;
    const older = await this.#store.get<{ at: number }>(
      `select at from events where ${username === undefined ? '' : 'username = ? and '}id < ? order by id desc limit 1`,
      ...(username === undefined ? [] : [username]),
      oldest,
    );
    return { events, next: older === undefined || older.at < since ? null : oldest };
  }

  /** Resolves with the id of the oldest event to look at. All of an account's match where nothing else is asked for. */
  async #oldestSearched({ username, type, ip, since }: EventFilter, before: number): Promise<number> {
    if (username === undefined) return Math.min(before, (await this.lastId()) + 1) - SEARCHED;
    if (type === undefined && ip === undefined && since === undefined) return 0;
    const row = await this.#store.get<{ id: number }>(
      'select id from events where username = ? and id < ? order by id desc limit 1 offset ?',
      username,
      before,
      SEARCHED - 1,
    );
    return row?.id ?? 0;
  }

  async #matching(
    { type, username, ip, node, since }: EventFilter,
    range: readonly Condition[],
    order: 'asc' | 'desc',
    limit: number,
  ): Promise<LoggedEvent[]> {
    const conditions: readonly Condition[] = [
      [String.raw`type like ? escape '\'`, type && likePattern(type)],
      ['username = ?', username],
      ['ip = ?', ip],
      ['node = ?', node],
      ['at >= ?', since],
      ...range,
    ];
    const given = conditions.filter(([, value]) => value !== undefined);
    const where = given.length === 0 ? '' : `where ${given.map(([sql]) => sql).join(' and ')}`;
    const rows = await this.#store.all<Row>(
      `select ${COLUMNS} from events ${where} order by id ${order} limit ?`,
      ...given.map(([, value]) => value ?? null),
      limit,
    );
    return rows.map((row) => ({ ...row, data: JSON.parse(row.data) as Record<string, unknown> }));
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
   * Removes events from before a time, in milliseconds since 1970; resolves with their number. Begins with the oldest and ends at
   * a thousand newer ones in a row, in transactions that no other writer waits for long.
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

/** Returns a pattern of `*` for `like`. In lower case, as types are, because some engines ignore case there and others do not. */
function likePattern(type: string): string {
  return type
    .toLowerCase()
    .replaceAll(/[\\%_]/g, String.raw`\$&`)
    .replaceAll('*', '%');
}
