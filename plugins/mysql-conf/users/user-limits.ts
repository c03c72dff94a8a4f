import type { Host } from '../../../kernel/contract/plugin.ts';
import type { ManagedDatabases, ManagedServer } from '../../../kernel/areas/database-servers.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { userText, type UserName } from '../../../kernel/kit/databases/mysql-text.ts';
import type { AttemptPart } from '../../../kernel/kit/waiting/reconciling.ts';
import { fail } from '../errors.ts';
import { forgetOwnLimits, keepOwnLimits, readOwnLimits, type OwnLimits } from './limit-store.ts';
import { connectionsLimit, isSame, limitsText, readLimits, setLimits, within, type ResourceLimits } from './limits.ts';

const FORGET_MS = 3_600_000;

interface Parts extends Pick<Host, 'store' | 'events' | 'identity'> {
  readonly managed: ManagedDatabases;
}
interface Asked {
  readonly name: string;
  readonly host?: string | undefined;
}

/**
 * Limits of database users. The store has what is a user's own, chosen by its account or found at the server before a plan lowered it;
 * in force is what of it the plan allows.
 */
export class UserLimitChanges {
  readonly #parts: Parts;
  /** By account, the plan's limit and what the store had when its users at the server were brought in line. */
  readonly #done = new Map<number, string>();
  #forgotAt = performance.now();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Sets all limits of a user. They are kept before the server has them: if it fails meanwhile, they come into force once it answers.
   * Errors: 404 `database_user_not_found`, 409 `beyond_plan`.
   */
  async set(account: Account, asked: Asked, own: ResourceLimits, ip: string): Promise<void> {
    const most = connectionsLimit(account);
    if (most > 0 && own.connections > most)
      throw fail.beyond_plan(`the plan allows each database user ${most} connection${most === 1 ? '' : 's'}`);
    const { store, events, identity, managed } = this.#parts;
    await managed.with(account, async ({ client, users }) => {
      const user = findUser(users, asked);
      const before = (await readLimits(client, [user])).get(userText(user));
      await store.write(async (tx) => {
        await identity.accounts.assertExists(tx, account);
        const all = await readOwnLimits(tx, account);
        const kept = all.find((each) => userText(each) === userText(user))?.own ?? before;
        await keepOwnLimits(tx, { accountId: account.id, ...user, own });
        if (kept !== undefined && isSame(kept, own)) return;
        const text = `set the limits of the database user ${userText(user)}: ${limitsText(own)}`;
        const data = { user: user.name, host: user.host };
        await events.record(tx, { type: 'database_user.limits_changed', account, ip, text, data });
      });
      await setLimits(client, user, within(own, most));
    });
  }

  /**
   * Has the users of this node's accounts within their plans. An account in line is looked at again once plan or store differ, and
   * every hour, as operators make users at the server.
   */
  async reconcile(attempt: AttemptPart): Promise<void> {
    if (performance.now() - this.#forgotAt >= FORGET_MS) {
      this.#done.clear();
      this.#forgotAt = performance.now();
    }
    const kept = new Map<number, OwnLimits[]>();
    for (const each of await readOwnLimits(this.#parts.store))
      kept.set(each.accountId, [...(kept.get(each.accountId) ?? []), each]);
    const seen = new Set<number>();
    for await (const accounts of this.#parts.identity.accounts.pagesOfHere())
      for (const account of accounts) {
        const [most, own] = [connectionsLimit(account), kept.get(account.id) ?? []];
        const isBound = own.length > 0 || most > 0;
        if (!isBound || account.isReadOnly || !this.#parts.managed.isManaged(account)) continue;
        seen.add(account.id);
        const now = JSON.stringify([most, own]);
        if (this.#done.get(account.id) === now) continue;
        await attempt(`limits of the database users of ${account.username}`, async () => {
          await this.#parts.managed.with(account, (server) => this.#align(account, server));
          this.#done.set(account.id, now);
        });
      }
    for (const id of this.#done.keys()) if (!seen.has(id)) this.#done.delete(id);
  }

  /** Has an account looked at again, because its users are others. */
  forget(accountId: number): void {
    this.#done.delete(accountId);
  }

  async #align(account: Account, { client, users }: ManagedServer): Promise<void> {
    const { store, identity } = this.#parts;
    const kept = new Map((await readOwnLimits(store, account)).map((each) => [userText(each), each]));
    const current = await readLimits(client, users);
    for (const { name, host } of users) {
      const user = { name, host };
      const now = current.get(userText(user));
      if (now === undefined) continue; // dropped meanwhile
      const known: OwnLimits | undefined = kept.get(userText(user));
      kept.delete(userText(user));
      const own = known?.own ?? now;
      const wanted = within(own, connectionsLimit(account));
      if (isSame(now, wanted)) continue;
      if (known === undefined)
        await store.write(async (tx) => {
          await identity.accounts.assertExists(tx, account);
          await keepOwnLimits(tx, { accountId: account.id, ...user, own });
        });
      await setLimits(client, user, wanted);
    }
    for (const gone of kept.values()) await store.write((tx) => forgetOwnLimits(tx, gone));
  }
}

/** Errors: 404 `database_user_not_found`. */
function findUser(users: readonly UserName[], { name, host }: Asked): UserName {
  const [found, ...others] = users.filter((user) => user.name === name && (host === undefined || user.host === host));
  if (found === undefined) throw fail.database_user_not_found('there is no such database user');
  if (others.length > 0)
    throw fail.database_user_not_found('several database users have this name: give the host, too');
  return { name: found.name, host: found.host };
}
