import { invalid, unauthenticated } from '../errors.ts';
import type { Reader, Tx } from '../storage/store.ts';

export interface SessionRow {
  readonly id: string;
  /** Milliseconds since 1970, as is `expires_at`. */
  readonly created_at: number;
  readonly expires_at: number;
  readonly ip: string;
  readonly user_agent: string;
}

/** What names a session. */
export interface SessionKey {
  readonly id: string;
  readonly accountId: number;
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
    `delete from sessions where id in
      (select id from sessions where account_id = ? order by created_at desc, id desc limit -1 offset ?)`,
    accountId,
    MAX_SESSIONS - 1,
  );
  await tx.run(
    'insert into sessions (id, account_id, created_at, expires_at, ip, user_agent) values (?, ?, ?, ?, ?, ?)',
    session.id,
    accountId,
    session.created_at,
    session.expires_at,
    session.ip,
    session.user_agent,
  );
  return changes;
}

/**
 * Resolves with sessions that have not expired, newest first, beginning after `cursor` (`''` = from the first). Errors:
 * 400 `invalid_request` for a cursor of another form.
 */
export async function readSessions(
  reader: Reader,
  accountId: number,
  limit: number,
  cursor: string,
): Promise<SessionRow[]> {
  const [, createdAt, id = ''] = /^(\d{1,15})\.([\w-]+)$/.exec(cursor) ?? [];
  if (createdAt === undefined && cursor !== '')
    throw invalid('query', [{ path: '/cursor', message: 'must be the next_cursor of a page' }]);
  return reader.all<SessionRow>(
    `select id, created_at, expires_at, ip, user_agent from sessions
      where account_id = ? and expires_at > ? and (created_at, id) < (?, ?)
      order by created_at desc, id desc limit ?`,
    accountId,
    Date.now(),
    createdAt === undefined ? Number.MAX_SAFE_INTEGER : Number(createdAt),
    id,
    limit,
  );
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

export async function noteReauthentication(tx: Tx, { id, accountId }: SessionKey, at: number): Promise<void> {
  await tx.run('update sessions set reauthenticated_at = ? where id = ? and account_id = ?', at, id, accountId);
}

/** Returns the cursor of the page after this session. */
export function cursorAfter({ created_at, id }: SessionRow): string {
  return `${created_at}.${id}`;
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

/** Removes some of the sessions that have expired; resolves with whether there may be more. */
export async function removeExpired(tx: Tx, now: number): Promise<boolean> {
  const { changes } = await tx.run(
    'delete from sessions where id in (select id from sessions where expires_at <= ? limit ?)',
    now,
    SWEPT_AT_ONCE,
  );
  return changes === SWEPT_AT_ONCE;
}
