import type { Account } from '../../accounts/account.ts';
import type { Accounts } from '../../accounts/accounts.ts';
import { fail } from '../../../errors.ts';
import { newId, removeExpired } from '../session-rows.ts';
import type { Log } from '../../../log.ts';
import type { AuditLog } from '../../../store/events/audit-log.ts';
import type { Revision } from '../../../store/revision.ts';
import type { Store, Tx } from '../../../store/store.ts';
import { IpRanges } from '../../../kit/net/ip.ts';
import { endTokens } from './token-endings.ts';
import { addToken, readToken, readTokens, type ApiToken, type StoredToken } from './token-rows.ts';
import { newTokenText, tokenHash } from './token-text.ts';

/** How exact the time of the last use is, and how often it is written. */
const USE_MS = 60_000;

/** The scopes and networks of a token. */
export interface TokenGrant {
  readonly scopes: ReadonlySet<string>;
  readonly networks: IpRanges;
  /** Milliseconds since 1970, until which its use is noted already. */
  notedUntil: number;
  /** The route that it opened last, whose scopes need no second look: another snapshot of the account brings a new grant. */
  opened: object | undefined;
}

/** Returns the grant of a token with these scopes, for these networks. */
export function newGrant(scopes: Iterable<string>, networks: readonly string[]): TokenGrant {
  return { scopes: new Set(scopes), networks: new IpRanges(networks), notedUntil: 0, opened: undefined };
}

interface NewToken {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly networks: readonly string[];
  readonly expiresAt: number;
}

/** API tokens: makes, lists and ends them, and looks them up for `Sessions`, which keeps what it has verified. */
export class ApiTokens {
  readonly #parts: { store: Store; revision: Revision; accounts: Accounts; events: AuditLog; log: Log };
  /** Uses that are not written yet, by token. */
  #uses = new Map<string, { readonly at: number; readonly ip: string }>();
  readonly #writer: NodeJS.Timeout;

  constructor(parts: { store: Store; revision: Revision; accounts: Accounts; events: AuditLog; log: Log }) {
    this.#parts = parts;
    this.#writer = setInterval(() => void this.#writeUses(), USE_MS).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#writer);
    await this.#writeUses();
  }

  /** Resolves with the tokens of an account that have not expired, newest first. */
  async list(accountId: number): Promise<ApiToken[]> {
    await this.#writeUses();
    return readTokens(this.#parts.store, accountId);
  }

  /**
   * Makes a token, whose text nobody can ask for again. `check` runs first in the transaction, and rejects if it must not be
   * made after all. Errors: 409 `tokens_full`.
   */
  async make(
    account: Account,
    { name, scopes, networks, expiresAt }: NewToken,
    ip: string,
    check?: (tx: Tx) => Promise<void>,
  ): Promise<{ token: string; made: ApiToken }> {
    const { accounts, events, store } = this.#parts;
    const token = newTokenText();
    const made: ApiToken = {
      id: newId(),
      name,
      scopes: [...new Set(scopes)].toSorted(),
      networks: [...new Set(networks)],
      createdAt: Date.now(),
      expiresAt,
      lastUsedAt: undefined,
      lastUsedFrom: '',
    };
    await store.write(async (tx) => {
      await check?.(tx);
      await accounts.assertExists(tx, account);
      await addToken(tx, account.id, tokenHash(token) ?? '', made);
      await events.record(tx, {
        type: 'token.made',
        account,
        text: `made the API token ${name}`,
        ip,
        data: { id: made.id, name, scopes: made.scopes, expires_at: new Date(expiresAt).toISOString() },
      });
    });
    return { token, made };
  }

  /** Ends one token of an account. Errors: 404 `token_not_found`. */
  async end(account: Pick<Account, 'id'>, id: string, ip: string): Promise<void> {
    if ((await this.#end(account, 't.account_id = ? and t.id = ?', [account.id, id], ip)) === 0)
      throw fail.token_not_found('there is no such API token');
  }

  /** Ends all tokens of an account; resolves with their number. */
  endAll(account: Pick<Account, 'id'>, ip: string): Promise<number> {
    return this.#end(account, 't.account_id = ?', [account.id], ip);
  }

  /** Resolves with a token that counts now; `undefined` for every other text, without a look at the store if it can be none. */
  async find(text: string): Promise<StoredToken | undefined> {
    const hash = tokenHash(text);
    return hash === undefined ? undefined : readToken(this.#parts.store, 'hash', hash);
  }

  /** Resolves with what a token may do now; `undefined` if it has ended. */
  async grantOf(id: string, accountId: number): Promise<TokenGrant | undefined> {
    const token = await readToken(this.#parts.store, 'id', id);
    if (token?.accountId !== accountId) return undefined;
    return newGrant(token.scopes, token.networks);
  }

  /** Notes in memory that a token is used. */
  noteUse(id: string, grant: TokenGrant, at: number, ip: string): void {
    grant.notedUntil = at + USE_MS;
    this.#uses.set(id, { at, ip });
  }

  /** Removes tokens that have expired. */
  async sweep(now: number, isClosed: () => boolean): Promise<void> {
    const { store } = this.#parts;
    if ((await store.get('select 1 from api_tokens where expires_at <= ?', now)) === undefined) return;
    while (!isClosed() && (await store.write((tx) => removeExpired(tx, 'api_tokens', now))));
  }

  #end({ id }: Pick<Account, 'id'>, where: string, values: readonly (string | number)[], ip: string): Promise<number> {
    const { accounts, events, revision } = this.#parts;
    return revision.mutate(
      (tx) => endTokens(tx, events, { where, values, reason: 'removed', ip }),
      () => accounts.cells.forget(id),
    );
  }

  async #writeUses(): Promise<void> {
    const uses = this.#uses;
    if (uses.size === 0) return;
    this.#uses = new Map();
    try {
      await this.#parts.store.write(async (tx) => {
        for (const [id, { at, ip }] of uses)
          await tx.run('update api_tokens set last_used_at = ?, last_used_from = ? where id = ?', at, ip, id);
      });
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'the last uses of API tokens could not be written');
    }
  }
}
