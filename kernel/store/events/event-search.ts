import type { SqlValue } from '../sqlite/connection.ts';
import type { Reader } from '../store.ts';
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
export interface EventSearch {
  readonly events: LoggedEvent[];
  /** The id to go on before; `null` where nothing older can match. */
  readonly next: number | null;
}

type Condition = readonly [sql: string, value: SqlValue | undefined];

/** How many events a search looks at: some milliseconds. */
const SEARCHED = 20_000;

/** Resolves with the id of the newest event, or 0. */
export async function lastEventId(reader: Reader): Promise<number> {
  return (await reader.get<{ id: number }>('select coalesce(max(id), 0) as id from events'))?.id ?? 0;
}

/** Resolves with whether a node of a fleet recorded any of the events; looks at all of them if it did not. */
export async function hasEventFrom(reader: Reader, node: string): Promise<boolean> {
  return (await reader.get('select 1 from events where node = ? limit 1', node)) !== undefined;
}

/** Resolves with the newest events that match, in many small searches; oldest first. */
export async function newestEvents(reader: Reader, filter: EventFilter, limit: number): Promise<LoggedEvent[]> {
  const found: LoggedEvent[] = [];
  let next: number | null = Number.MAX_SAFE_INTEGER;
  while (next !== null && found.length < limit) {
    const page: EventSearch = await searchEvents(reader, filter, limit - found.length, next);
    found.push(...page.events);
    next = page.next;
  }
  return found.toReversed();
}

/** Resolves with the oldest events after an id that match, oldest first. */
export function eventsAfter(reader: Reader, filter: EventFilter, limit: number, id: number): Promise<LoggedEvent[]> {
  return matching(reader, filter, [['id > ?', id]], 'asc', limit);
}

/** Resolves with events that match, newest first, beginning before an id. See `AuditLog.search`. */
export async function searchEvents(
  reader: Reader,
  filter: EventFilter,
  limit: number,
  before: number,
): Promise<EventSearch> {
  const oldest = await oldestSearched(reader, filter, before);
  const range: readonly Condition[] = [
    ['id < ?', before],
    ['id >= ?', oldest],
  ];
  const events = await matching(reader, filter, range, 'desc', limit);
  if (events.length === limit) return { events, next: events.at(-1)?.id ?? null };
  const { username, since = 0 } = filter;
  const older = await reader.get<{ at: number }>(
    `select at from events where ${username === undefined ? '' : 'username = ? and '}id < ? order by id desc limit 1`,
    ...(username === undefined ? [] : [username]),
    oldest,
  );
  return { events, next: older === undefined || older.at < since ? null : oldest };
}

/** Resolves with the id of the oldest event to look at. All of an account's match where nothing else is asked for. */
async function oldestSearched(
  reader: Reader,
  { username, type, ip, since }: EventFilter,
  before: number,
): Promise<number> {
  if (username === undefined) return Math.min(before, (await lastEventId(reader)) + 1) - SEARCHED;
  if (type === undefined && ip === undefined && since === undefined) return 0;
  const row = await reader.get<{ id: number }>(
    'select id from events where username = ? and id < ? order by id desc limit 1 offset ?',
    username,
    before,
    SEARCHED - 1,
  );
  return row?.id ?? 0;
}

async function matching(
  reader: Reader,
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
  const rows = await reader.all<Omit<LoggedEvent, 'data'> & { data: string }>(
    `select id, at, type, account_id, username, ip, line, data, node from events
      where ${given.map(([sql]) => sql).join(' and ')} order by id ${order} limit ?`,
    ...given.map(([, value]) => value ?? null),
    limit,
  );
  return rows.map((row) => ({ ...row, data: JSON.parse(row.data) as Record<string, unknown> }));
}

/** Returns a pattern of `*` for `like`, in lower case, as types are: some engines ignore case there, and others do not. */
function likePattern(type: string): string {
  return type
    .toLowerCase()
    .replaceAll(/[\\%_]/g, String.raw`\$&`)
    .replaceAll('*', '%');
}
