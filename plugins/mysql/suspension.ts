import type { Host } from '../../kernel/contract/plugin.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { isSqlError, quotedUser, userText, type UserName } from '../../kernel/kit/databases/mysql-text.ts';
import type { AttemptPart } from '../../kernel/kit/waiting/reconciling.ts';
import type { AccountServers } from './account-servers.ts';
import { endProcesses } from './processes.ts';
import { isTemporary } from './users/temporary-users.ts';
import { readUsers } from './users/users.ts';

/** There is no such user any more. */
const NO_USER = 1396;
const PAGE = 1000;

interface Parts extends Pick<Host, 'store' | 'identity'> {
  readonly servers: AccountServers;
}

/**
 * Locks the database users of suspended accounts, and unlocks those that it has locked. A row of the store has their names from
 * before the first is locked until the last is unlocked, and goes with its account to another node.
 */
export class Suspensions {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Brings all accounts of this node up to date. */
  async reconcile(attempt: AttemptPart): Promise<void> {
    const rows = await this.#parts.store.all<{ id: number; is_done: number }>(
      'select account_id as id, is_done from mysql_locks',
    );
    const done = new Set(rows.filter((row) => row.is_done === 1).map(({ id }) => id));
    const suspended = await this.#suspended();
    const names = new Set(suspended.map(({ id }) => id));
    for (const account of suspended.filter(({ id }) => !done.has(id)))
      await attempt(`database users of ${account.username}`, () => this.#lock(account));
    for (const { id } of rows.filter((row) => !names.has(row.id))) {
      const account = await this.#parts.identity.accounts.byId(id);
      if (account !== undefined && !account.suspended && this.#isConcerned(account))
        await attempt(`database users of ${account.username}`, () => this.#unlock(account));
    }
  }

  async #suspended(): Promise<Account[]> {
    const { accounts } = this.#parts.identity;
    const found: Account[] = [];
    for (let cursor = ''; ;) {
      const page = await accounts.list(PAGE, cursor, { role: 'user', suspended: true });
      found.push(...page.filter((account) => this.#isConcerned(account)));
      if (page.length < PAGE) return found;
      cursor = page.at(-1)?.username ?? cursor;
    }
  }

  /** One that is about to leave is its new home's. */
  #isConcerned(account: Account): boolean {
    const { accounts } = this.#parts.identity;
    return accounts.isHere(account) && !account.isReadOnly && this.#parts.servers.of(account) !== undefined;
  }

  async #lock(account: Account): Promise<void> {
    await this.#parts.servers.with(account, async ({ client, ownNames }) => {
      const users = await readUsers(client, await ownNames());
      const open = users.filter((user) => !user.is_locked && !isTemporary(user));
      const locked = [...(await this.#locked(account)), ...open.map(({ name, host }) => ({ name, host }))];
      await this.#keep(account, locked, false);
      for (const user of open) await client.query(`alter user ${quotedUser(user)} account lock`);
      await endProcesses(client, users);
      await this.#keep(account, locked, true);
    });
  }

  async #unlock(account: Account): Promise<void> {
    await this.#parts.servers.with(account, async ({ client, ownNames }) => {
      const own = new Set((await readUsers(client, await ownNames())).map(userText));
      for (const user of await this.#locked(account))
        if (own.has(userText(user)))
          await client.query(`alter user ${quotedUser(user)} account unlock`).catch((error: unknown) => {
            if (!isSqlError(error) || error.errno !== NO_USER) throw error;
          });
      await this.#parts.store.write((tx) => tx.run('delete from mysql_locks where account_id = ?', account.id));
    });
  }

  async #locked({ id }: Account): Promise<UserName[]> {
    const row = await this.#parts.store.get<{ users: string }>(
      'select users from mysql_locks where account_id = ?',
      id,
    );
    return row === undefined ? [] : (JSON.parse(row.users) as UserName[]);
  }

  async #keep(account: Account, users: readonly UserName[], isDone: boolean): Promise<void> {
    await this.#parts.store.write(async (tx) => {
      await this.#parts.identity.accounts.assertExists(tx, account);
      await tx.run(
        `insert into mysql_locks (account_id, users, is_done) values (?, ?, ?)
          on conflict (account_id) do update set users = excluded.users, is_done = excluded.is_done`,
        ...[account.id, JSON.stringify(users), Number(isDone)],
      );
    });
  }
}
