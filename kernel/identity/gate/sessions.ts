import type { Account } from '../accounts/account.ts';
import type { AccountCell } from '../accounts/account-cells.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { ApiTokens } from './api-tokens/api-tokens.ts';
import { assertTokenAlive } from './api-tokens/token-rows.ts';
import type { Keyring } from './keyring.ts';
import { fail, unauthenticated } from '../../errors.ts';
import type { AuditLog } from '../../store/events/audit-log.ts';
import {
  addSession,
  endOtherSessions,
  liveSession,
  MAX_SESSIONS,
  newId,
  pageOfSessions,
  type ListedSession,
  type SessionKey,
} from './session-rows.ts';
import { LargeCounts } from '../../kit/waiting/large-counts.ts';
import { TokenCache } from './token-cache.ts';
import { verifyToken, type VerifiedToken } from './token-verifier.ts';
import type { Revision } from '../../store/revision.ts';
import type { Reader, Store, Tx } from '../../store/store.ts';

/** The context to which cookies are sealed. */
const COOKIE = 'page cookie';

/** A verified token with the newest snapshot of its account, and the versions of both at which it was confirmed. */
export interface Session extends VerifiedToken {
  /** The administrator who opened it with a login link; `null` where the account itself logged in. */
  openedBy: string | null;
  cell: AccountCell;
  generation: number;
  version: number;
}

interface SessionParts {
  readonly store: Store;
  readonly revision: Revision;
  readonly accounts: Accounts;
  readonly events: AuditLog;
  readonly keys: Keyring;
  readonly tokens: ApiTokens;
}

/**
 * Issues tokens of logins, and authenticates them and API tokens. The store has one row for each token; a token without its
 * row is invalid. A verified token is cached by its header, and stays valid while its account and the store's revision are
 * unchanged.
 */
export class Sessions {
  ttlSeconds = 3600;
  readonly #remembered = new TokenCache<Session>();
  readonly #counts = new LargeCounts();
  readonly #parts: SessionParts;
  readonly #revision: Revision;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#revision = parts.revision;
  }

  /** Returns the cached session of an `Authorization` header; `undefined` if only the store can tell. */
  remembered(header: string): Session | undefined {
    const session = this.#remembered.get(header);
    this.#revision.look();
    return session !== undefined && this.#isFresh(session) && session.expiresAt > this.#revision.nowMs
      ? session
      : undefined;
  }

  /**
   * Resolves with the session of an `Authorization` header, for routes that read it themselves; `undefined` if there is none.
   * An API token counts only where the client's address is given, and only from its networks.
   */
  async resolve(header: string, ip?: string): Promise<{ session: Session; account: Account } | undefined> {
    const known = await this.authenticate(header);
    if (known?.session.grant === undefined) return known;
    return ip !== undefined && this.admits(known.session, { ip }) ? known : undefined;
  }

  /** Resolves with the session of an `Authorization` header, asking the store if necessary; `undefined` if there is none. */
  async authenticate(header: string): Promise<{ session: Session; account: Account } | undefined> {
    this.#revision.look();
    while (this.#revision.checking !== undefined) await this.#revision.checking;
    const remembered = this.remembered(header); // saves a query if the check above found no change
    if (remembered?.cell.account !== undefined) return { session: remembered, account: remembered.cell.account };
    const session = this.#remembered.get(header) ?? (await this.#verified(header));
    const account = session === undefined ? undefined : await this.#confirm(session);
    if (session === undefined || account === undefined) {
      this.#remembered.delete(header);
      return undefined;
    }
    this.#remembered.set(header, session);
    return { session, account };
  }

  /**
   * Returns whether a session counts for this client, and notes the use of an API token. Reads the client's address, which
   * costs something, only if one of both needs it.
   */
  admits({ id, grant }: Session, client: { readonly ip: string }): boolean {
    if (grant === undefined) return true;
    if (!grant.networks.isEmpty && !grant.networks.has(client.ip)) return false;
    const { nowMs } = this.#revision;
    if (nowMs >= grant.notedUntil) this.#parts.tokens.noteUse(id, grant, nowMs, client.ip);
    return true;
  }

  /** Removes cached sessions that have expired by `now`, in milliseconds since 1970. */
  forgetExpired(now: number): void {
    this.#remembered.sweep(now);
  }

  /** Returns the value of a page's cookie, which counts as a cookie only. */
  sealCookie(token: string): string {
    return this.#parts.keys.seal(token, COOKIE);
  }

  /** Returns the token of a page's cookie; `undefined` for a value that no login has made. */
  openCookie(value: string): string | undefined {
    try {
      return this.#parts.keys.unseal(value, COOKIE);
    } catch {
      return undefined; // anybody can send a cookie, and callers never learn why it is invalid
    }
  }

  /** Resolves with whether the session is still valid, for work that outlasts its request. */
  async isAlive(session: Session): Promise<boolean> {
    return session.expiresAt > Date.now() && (this.#isFresh(session) || (await this.#confirm(session)) !== undefined);
  }

  /**
   * Rejects unless the session still exists and its account may use it, for changes that are allowed because of a
   * session: it may have ended since the request came in. Errors: 401 `authentication_required`.
   */
  async assertAlive(tx: Reader, session: SessionKey): Promise<void> {
    if (session.grant === undefined) await liveSession(tx, session);
    else await assertTokenAlive(tx, session);
  }

  /**
   * Issues a token; the account's oldest sessions beyond the maximum end. `record` runs first in the same transaction; if
   * it throws, no token is issued. `openedBy` is the administrator, if it is not the account itself that logs in.
   */
  async open(
    account: Account,
    ip: string,
    userAgent: string,
    record: (tx: Tx) => Promise<void>,
    openedBy: string | null = null,
  ): Promise<{ token: string; expiresIn: number }> {
    const now = Date.now();
    const iat = Math.floor(now / 1000);
    const exp = iat + this.ttlSeconds;
    const id = newId();
    const token = await this.#parts.keys.sign({ sub: String(account.id), aud: account.role, jti: id, iat, exp });
    const session = { id, created_at: now, expires_at: exp * 1000, ip, user_agent: userAgent, opened_by: openedBy };
    await this.#revision.mutate(
      async (tx) => {
        await record(tx);
        return addSession(tx, account.id, session);
      },
      (ended) => {
        if (ended > 0) this.#parts.accounts.cells.forget(account.id);
      },
    );
    return { token, expiresIn: exp - iat };
  }

  /** Resolves with all sessions of an account that have not expired, newest first. */
  async list(accountId: number): Promise<ListedSession[]> {
    return (await this.page(accountId, MAX_SESSIONS, '')).rows;
  }

  /** Resolves with a page of the sessions of an account, or of all; see `pageOfSessions`. */
  page(accountId: number | undefined, limit: number, cursor: string): ReturnType<typeof pageOfSessions> {
    return pageOfSessions(this.#parts.store, accountId, limit, cursor);
  }

  /** Resolves with the number of sessions, of all accounts, that have not expired; see `LargeCounts`. */
  count(): Promise<number> {
    return this.#counts.of('sessions', async () => {
      const sql = 'select count(*) as n from sessions where expires_at > ?';
      return (await this.#parts.store.get<{ n: number }>(sql, Date.now()))?.n ?? 0;
    });
  }

  /**
   * Ends one session of an account. Errors: 404 `session_not_found`; for a logout, whose own session has then ended meanwhile,
   * 401 `authentication_required`.
   */
  async end(
    account: Pick<Account, 'id' | 'username'>,
    id: string,
    ip: string,
    type: 'logout' | 'session.ended' = 'session.ended',
  ): Promise<void> {
    await this.#change(account, async (tx) => {
      const { changes } = await tx.run('delete from sessions where account_id = ? and id = ?', account.id, id);
      if (changes === 0)
        throw type === 'logout' ? unauthenticated() : fail.session_not_found('there is no such session');
      await this.#parts.events.record(tx, {
        account,
        ip,
        ...(type === 'logout' ? { type, text: 'logged out' } : { type, text: 'ended a session', data: { count: 1 } }),
      });
    });
  }

  /**
   * Runs `record`, then ends all sessions of an account except `keep`, in one transaction; resolves with their number.
   * Ends none if `record` resolves with false.
   */
  async endOthers(
    account: Pick<Account, 'id' | 'username'>,
    keep: string,
    ip: string,
    record?: (tx: Tx) => Promise<boolean | void>,
  ): Promise<number> {
    return this.#change(account, async (tx) => {
      if ((await record?.(tx)) === false) return 0;
      const changes = await endOtherSessions(tx, account.id, keep);
      if (changes > 0)
        await this.#parts.events.record(tx, {
          type: 'session.ended',
          account,
          text: `ended ${changes} sessions`,
          ip,
          data: { count: changes },
        });
      return changes;
    });
  }

  #change<T>(account: Pick<Account, 'id'>, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#revision.mutate(work, () => this.#parts.accounts.cells.forget(account.id));
  }

  #isFresh({ cell, generation, version }: Session): boolean {
    const live = this.#revision;
    return (
      generation === live.generation &&
      cell.generation === generation &&
      cell.version === version &&
      cell.account !== undefined &&
      live.checking === undefined
    );
  }

  async #verified(header: string): Promise<Session | undefined> {
    const token = await verifyToken(header, this.#parts.keys, this.#parts.tokens);
    const fresh = { openedBy: null, generation: -1, version: -1 };
    return token && { ...token, ...fresh, cell: this.#parts.accounts.cells.of(token.accountId) };
  }

  /**
   * Reads the session's row and its account from the store. Marks the session with the versions that it read before,
   * so that a change during the read makes it stale again.
   */
  async #confirm(session: Session): Promise<Account | undefined> {
    if (session.expiresAt <= Date.now()) return undefined;
    const { generation } = this.#revision;
    const cell = this.#parts.accounts.cells.of(session.accountId);
    const { version } = cell;
    const isApiToken = session.grant !== undefined;
    const grant = isApiToken ? await this.#parts.tokens.grantOf(session.id, session.accountId) : undefined;
    const row = isApiToken ? undefined : await this.#rowOf(session);
    const isLive = grant !== undefined || row !== undefined;
    const account = isLive ? await this.#parts.accounts.byId(session.accountId) : undefined;
    if (account === undefined || account.suspended || account.role !== session.audience) return undefined;
    session.grant = grant;
    session.openedBy = row?.opened_by ?? null;
    session.cell = cell;
    session.generation = generation;
    session.version = version;
    return account;
  }

  #rowOf({ id, accountId }: Session): Promise<{ opened_by: string | null } | undefined> {
    return this.#parts.store.get('select opened_by from sessions where id = ? and account_id = ?', id, accountId);
  }
}
