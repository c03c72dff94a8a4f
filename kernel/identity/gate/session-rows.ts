import { randomBytes } from 'node:crypto';
import { invalid, unauthenticated } from '../../errors.ts';
import type { Role } from '../accounts/account.ts';
import type { Reader, Tx } from '../../store/store.ts';

/** A session of a login, as its row has it. */
export interface SessionRow {
  readonly id: string;
  /** Milliseconds since 1970, as is `expires_at`. */
  readonly created_at: number;
  readonly expires_at: number;
  readonly ip: string;
  readonly user_agent: string;
  /** The administrator who opened it with a login link; `null` where the account itself logged in. */
  readonly opened_by: string | null;
}

/** A session with its account. */
export interface ListedSession extends SessionRow {
  readonly username: string;
  readonly role: Role;
}

/** The key of a session. */
export interface SessionKey {
  readonly id: string;
  readonly accountId: number;
  /** Set for an API token, whose id it is then. */
  readonly grant?: object | undefined;
}

/** The maximum number of sessions of an account, so that no list of them is long. */
export const MAX_SESSIONS = 100;
/** Expired sessions removed in one transaction, which other writers wait for. */
const SWEPT_AT_ONCE = 500;

/**
 * Adds a session; the oldest beyond the maximum end. Resolves with their number. Makes room first, so that a clock that
 * was set back does not end the new session at once.
 */
export async function addSession(tx: Tx, accountId: number, session: SessionRow): Promise<number> {
  const { changes } = await tx.run(
    `delete from sessions where account_id = ? and id not in
      (select id from sessions where account_id = ? order by created_at desc, id desc limit ?)`,
    accountId,
    accountId,
    MAX_SESSIONS - 1,
  );
  await tx.run(
    'insert into sessions (id, account_id, created_at, expires_at, ip, user_agent, opened_by) values (?, ?, ?, ?, ?, ?, ?)',
    session.id,
    accountId,
    session.created_at,
    session.expires_at,
    session.ip,
    session.user_agent,
    session.opened_by,
  );
  return changes;
}

/**
 * Resolves with a page of the sessions that have not expired, beginning after `cursor` (`''` = from the first), and the cursor of
 * the next one: those of an account newest first, those of all (`undefined`) beginning with the one that lasts longest, each in
 * the order of an index. Errors: 400 `invalid_request` for a cursor of another form.
 */
export async function pageOfSessions(
  reader: Reader,
  accountId: number | undefined,
  limit: number,
  cursor: string,
): Promise<{ rows: ListedSession[]; next: string | null }> {
  const [time, condition] =
    accountId === undefined ? (['expires_at', 'true'] as const) : (['created_at', 'account_id = ?'] as const);
  const found = await reader.all<ListedSession>(
    `select sessions.id, sessions.created_at, expires_at, ip, user_agent, opened_by, username, role
      from sessions join accounts on accounts.id = account_id
      where ${condition} and expires_at > ? and (sessions.${time}, sessions.id) < (?, ?)
      order by sessions.${time} desc, sessions.id desc limit ?`,
    ...(accountId === undefined ? [] : [accountId]),
    Date.now(),
    ...positionOf(cursor),
    limit + 1,
  );
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next: found.length > limit && last !== undefined ? `${last[time]}.${last.id}` : null };
}

/** Returns the time and the id at which a page begins. */
function positionOf(cursor: string): [time: number, id: string] {
  const [, time, id = ''] = /^(\d{1,15})\.([\w-]+)$/.exec(cursor) ?? [];
  if (time !== undefined) return [Number(time), id];
  if (cursor === '') return [Number.MAX_SAFE_INTEGER, ''];
  throw invalid('query', [{ path: '/cursor', message: 'must be the next_cursor of a page' }]);
}

/**
 * Resolves with the session if it still exists and its account may use it. Errors: 401 `authentication_required`.
 */
export async function liveSession(
  reader: Reader,
  { id, accountId }: SessionKey,
): Promise<{ readonly reauthenticated_at: number | null }> {
  const row = await reader.get<{ reauthenticated_at: number | null }>(
    `select reauthenticated_at from sessions join accounts on accounts.id = account_id
      where sessions.id = ? and account_id = ? and expires_at > ? and suspended_at is null`,
    id,
    accountId,
    Date.now(),
  );
  if (row === undefined) throw unauthenticated();
  return row;
}

/** Notes when password and second factor were proved again; `at` is in milliseconds since 1970. */
export async function noteReauthentication(tx: Tx, { id, accountId }: SessionKey, at: number): Promise<void> {
  await tx.run('update sessions set reauthenticated_at = ? where id = ? and account_id = ?', at, id, accountId);
}

/**
 * Ends the sessions of an account except `keep`, which has to prove password and code again before what requires that.
 * Resolves with their number.
 */
export async function endOtherSessions(tx: Tx, accountId: number, keep: string): Promise<number> {
  const { changes } = await tx.run('delete from sessions where account_id = ? and id <> ?', accountId, keep);
  await tx.run('update sessions set reauthenticated_at = null where account_id = ?', accountId);
  return changes;
}

/** Removes some of the rows that have expired; resolves with whether there may be more. */
export async function removeExpired(tx: Tx, table: 'sessions' | 'api_tokens', now: number): Promise<boolean> {
  const { changes } = await tx.run(
    `delete from ${table} where id in (select id from ${table} where expires_at <= ? limit ?)`,
    now,
    SWEPT_AT_ONCE,
  );
  return changes === SWEPT_AT_ONCE;
}

/** Returns 128 random bits. No id begins with a hyphen, which command lines would take for an option. */
export function newId(): string {
  for (;;) {
    const id = randomBytes(16).toString('base64url');
    if (!id.startsWith('-')) return id;
  }
}
