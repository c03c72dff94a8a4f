import { formatTime } from '../system/format-time.ts';
import type { SqlValue, Store, Tx } from './store.ts';

/**
 * Events by name, `<thing>.<what happened>`, with the data that each carries; `undefined` where it carries none. Types
 * only, and empty here: each area declares its own events beside its code:
 * `declare module '<…>/storage/audit-log.ts' { interface EventTypes { … } }`.
 */
export interface EventTypes {}

/** An event's name and its data, which belong together. */
export type Occurrence = {
  readonly [T in keyof EventTypes]: {
    readonly type: T;
    readonly data?: EventTypes[T];
  } & (undefined extends EventTypes[T] ? unknown : { readonly data: EventTypes[T] });
}[keyof EventTypes];

/** Something that happened to an account, as its activity log and every follower of the log are told. */
type EventInput = Occurrence & Circumstances;

interface Circumstances {
  /** Whose activity log it belongs to; without one it is the server's. */
  readonly account?: { readonly id: number; readonly username: string };
  /** The user name to show when there is no account. */
  readonly username?: string;
  /** What the user did, in the past tense, e.g. `added the domain example.com`. */
  readonly text: string;
  /** Address of the client; empty for the command line. */
  readonly ip: string;
  /** Milliseconds since 1970, when it did not happen just now. */
  readonly at?: number;
}

export interface LoggedEvent {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** One of `EventTypes`, or what another version of the program recorded. */
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

type Row = Omit<LoggedEvent, 'data'> & { data: string };

/** Events that an account keeps; older ones are removed. */
const KEPT = 10_000;
/** How many events of an account are written between two removals of its oldest. */
const TRIM_EVERY = 256;

/**
 * The one log of what happened, written in the same transaction as the change that it tells of, so that neither
 * exists without the other. Pages read it newest first; followers read it onward from an id, at their own pace.
 */
export class AuditLog {
  readonly #store: Store;
  readonly #listeners = new Set<(event: LoggedEvent) => void>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Adds an event to the change that `tx` makes; listeners hear of it after the commit. */
  async record(tx: Tx, input: EventInput): Promise<void> {
    const { type, ip, account, at = Date.now() } = input;
    const username = account?.username ?? input.username ?? '';
    const line = escapeControl(
      `[${formatTime(at)}] User '${username}' ${input.text} from IP ${ip === '' ? 'localhost' : ip}`,
    );
    const { lastId: id } = await tx.run(
      'insert into events (at, type, account_id, username, ip, line, folded, data) values (?, ?, (select id from accounts where id = ?), ?, ?, ?, ?, ?)', // which may have been removed meanwhile
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

  /** Calls back after each commit of this process; returns what ends it. Other processes' events come by `after`. */
  listen(listener: (event: LoggedEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Id of the newest event, 0 when there is none: where a follower begins that does not want the past. */
  async lastId(): Promise<number> {
    return (await this.#store.get<{ id: number }>('select coalesce(max(id), 0) as id from events'))?.id ?? 0;
  }

  /** Events with a larger id, oldest first: how a follower catches up, whoever wrote them. */
  async after(id: number, limit: number): Promise<LoggedEvent[]> {
    const rows = await this.#store.all<Row>(
      'select id, at, type, account_id, username, ip, line, data from events where id > ? order by id limit ?',
      id,
      limit,
    );
    return rows.map((row) => ({ ...row, data: JSON.parse(row.data) as Record<string, unknown> }));
  }

  /** Lines of an account, newest first; `search` is a case-insensitive substring, `limit` -1 = all. */
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
      `select line from events where account_id = ?${matches} order by id desc limit ? offset ?`,
      ...params,
      wanted,
      offset,
    );
    return { lines: rows.map((row) => row.line), total };
  }

  async #trim(tx: Tx, accountId: number): Promise<void> {
    await tx.run(
      'delete from events where account_id = ? and id <= (select id from events where account_id = ? order by id desc limit 1 offset ?)',
      accountId,
      accountId,
      KEPT,
    );
  }
}

/** One event is one line, whatever names and addresses from outside hold: control and line-breaking characters are written as `\xNN` or `\uNNNN`. */
export function escapeControl(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (character) => {
    const code = character.charCodeAt(0);
    return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`;
  });
}
