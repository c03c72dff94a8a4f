import type { SqlValue } from '../sqlite/connection.ts';
import type { Reader, Store } from '../store.ts';
import type { LoggedEvent } from './event-types.ts';

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

/** A part of what a search finds. */
interface FoundEvents {
  readonly events: LoggedEvent[];
  /** The id to go on before; `null` where nothing older can match. */
  readonly next: number | null;
}

interface LinePage {
  readonly lines: string[];
  readonly total: number;
}

/** Where a list of an account's events goes on: the time and the id of its last one. */
export type EventPosition = readonly [at: number, id: number];

type EventRow = Omit<LoggedEvent, 'data'> & { data: string };
const COLUMNS = 'id, at, type, account_id, username, ip, line, data, node';
const toEvent = (row: EventRow): LoggedEvent => ({ ...row, data: JSON.parse(row.data) as Record<string, unknown> });

type Condition = readonly [sql: string, value: SqlValue | undefined];

/** The number of events kept for each account; older ones are removed. */
export const KEPT = 10_000;
/** How many events a search looks at: some milliseconds. */
const SEARCHED = 20_000;

/** Reads the log: pages by time, newest first; followers onward from an id, at their own pace. */
export class EventSearch {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Resolves with the id of the newest event, or 0: the start for a follower that ignores the past. */
  lastId(): Promise<number> {
    return newestId(this.#store);
  }

  /** Resolves with whether a node of a fleet recorded any of the events. Takes seconds where there are millions of others. */
  async hasOf(node: string): Promise<boolean> {
    return (await this.#store.get('select 1 from events where node = ? limit 1', node)) !== undefined;
  }

  /** Resolves with events of all processes that have a larger id, oldest first. */
  after(id: number, limit: number): Promise<LoggedEvent[]> {
    return this.find({}, limit, id);
  }

  /** Resolves with the newest events that match, in many small searches, or with the oldest after an id; oldest first. */
  async find(filter: EventFilter, limit: number, after?: number): Promise<LoggedEvent[]> {
    if (after !== undefined) return this.#matching(filter, [['id > ?', after]], 'asc', limit);
    const found: LoggedEvent[] = [];
    let next: number | null | undefined;
    while (next !== null && found.length < limit) {
      const part: FoundEvents = await this.search(filter, limit - found.length, next);
      found.push(...part.events);
      next = part.next;
    }
    return found.toReversed();
  }

  /**
   * Resolves with events that match, newest first, beginning before an id. Looks at a bounded part of the log, or of the events
   * of an account, so there may be fewer than `limit` although `next`, the id to go on before, is not `null`.
   */
  async search(filter: EventFilter, limit: number, before = Number.MAX_SAFE_INTEGER): Promise<FoundEvents> {
    const oldest = await this.#oldestSearched(filter, before);
    const range: readonly Condition[] = [
      ['id < ?', before],
      ['id >= ?', oldest],
    ];
    const events = await this.#matching(filter, range, 'desc', limit);
    if (events.length === limit) return { events, next: events.at(-1)?.id ?? null };
    const { username, since = 0 } = filter;
    const older = await this.#store.get<{ at: number }>(
      `select at from events where ${username === undefined ? '' : 'username = ? and '}id < ? order by id desc limit 1`,
      ...(username === undefined ? [] : [username]),
      oldest,
    );
    return { events, next: older === undefined || older.at < since ? null : oldest };
  }

  /** Resolves with lines of an account, newest first; `search` is a case-insensitive substring, `limit` -1 = all. */
  async page(accountId: number, search: string, offset: number, limit: number): Promise<LinePage> {
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
   * Resolves with events of an account, newest first, beginning after a position; `search` is a case-insensitive part of their
   * lines.
   */
  async ofAccount(
    accountId: number,
    search: string,
    limit: number,
    [at, id]: EventPosition = [Number.MAX_SAFE_INTEGER, 0],
  ): Promise<LoggedEvent[]> {
    const rows = await this.#store.all<EventRow>(
      `select ${COLUMNS} from events where account_id = ? and (at, id) < (?, ?) and (? = '' or instr(folded, ?) > 0)
        order by at desc, id desc limit ?`,
      ...[accountId, at, id, search, search.toLowerCase(), limit],
    );
    return rows.map(toEvent);
  }

  /** Resolves with the id of the oldest event to look at. All of an account's match where nothing else is asked for. */
  async #oldestSearched({ username, type, ip, since }: EventFilter, before: number): Promise<number> {
    if (username === undefined) return Math.min(before, (await newestId(this.#store)) + 1) - SEARCHED;
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
    const rows = await this.#store.all<EventRow>(
      `select ${COLUMNS} from events
        where ${given.map(([sql]) => sql).join(' and ')} order by id ${order} limit ?`,
      ...given.map(([, value]) => value ?? null),
      limit,
    );
    return rows.map(toEvent);
  }
}

async function newestId(reader: Reader): Promise<number> {
  return (await reader.get<{ id: number }>('select coalesce(max(id), 0) as id from events'))?.id ?? 0;
}

/** Returns a pattern of `*` for `like`, in lower case, as types are: some engines ignore case there, and others do not. */
function likePattern(type: string): string {
  return type
    .toLowerCase()
    .replaceAll(/[\\%_]/g, String.raw`\$&`)
    .replaceAll('*', '%');
}
