import type { Host } from '../../../kernel/contract/plugin.ts';
import type { DatabaseClient, OwnNames } from '../../../kernel/areas/database-servers.ts';
import { isGrowing, privilegesIn } from '../../../kernel/kit/databases/mariadb/privileges.ts';
import { quotedInPattern, userText, type UserName } from '../../../kernel/kit/databases/mysql-text.ts';
import type { Changes } from '../changes.ts';
import { endProcessesNamed } from '../processes.ts';
import * as store from '../writing/withheld.ts';
import { grant, revoke, revokeAccess, setAccess } from './grants.ts';

interface Parts extends Pick<Host, 'store'> {
  readonly changes: Changes;
}
type Id = { readonly id: number };
type Row = UserName & Readonly<Record<string, string>>;

/**
 * The rights of users on databases. While an account is over the size of its plan, the server has them without those by which databases
 * grow, and the store has these: what is in the one or in the other is what the user was given. Each step can be repeated.
 */
export class AccessRights {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** See `setAccess`. The caller has claimed the change of this user's rights. */
  async set(client: DatabaseClient, account: Id, user: UserName, database: string, given: readonly string[]) {
    const pattern = quotedInPattern(database);
    const growing = given.filter(isGrowing);
    const isStopped = await this.#parts.store.write(async (tx) => {
      await store.removeWithheld(tx, account, user, pattern);
      if (!(await store.isStopped(tx, account))) return false;
      if (growing.length > 0) await store.addWithheld(tx, account, [{ ...user, pattern, privileges: growing }]);
      return true;
    });
    await setAccess(client, user, database, isStopped ? given.filter((each) => !isGrowing(each)) : given);
  }

  /** See `revokeAccess`. The caller has claimed the change of this user's rights. */
  async revoke(client: DatabaseClient, account: Id, user: UserName, database: string): Promise<boolean> {
    const wasWithheld = await this.#parts.store.write((tx) =>
      store.removeWithheld(tx, account, user, quotedInPattern(database)),
    );
    return (await revokeAccess(client, user, database)) || wasWithheld;
  }

  /** Takes from a user that was made just now what others of a stopped account lack. */
  async keepStopped(client: DatabaseClient, account: Id, user: UserName): Promise<void> {
    if (await store.isStopped(this.#parts.store, account)) await this.withhold(client, account, [user]);
  }

  /** Whether one of these users has what makes databases grow. */
  async mayGrow(client: DatabaseClient, users: readonly UserName[]): Promise<boolean> {
    return (await readGrowing(client, users)).length > 0;
  }

  /** Takes from users of an account what makes databases grow. Errors: 409 `request_in_progress` if the rights of one are being changed. */
  async withhold(client: DatabaseClient, account: Id, users: readonly UserName[]): Promise<void> {
    const growing = await readGrowing(client, users);
    for (const user of users) {
      const taken = growing.filter((each) => userText(each) === userText(user));
      if (taken.length === 0) continue;
      await this.#claimed(account, user, async () => {
        await this.#parts.store.write((tx) => store.addWithheld(tx, account, taken));
        for (const { pattern, privileges } of taken) await revoke(client, user, pattern, privileges);
      });
    }
  }

  /** Gives users back what was withheld from them. Connections that wait for a statement are closed: the others would not learn of it. */
  async giveBack(client: DatabaseClient, account: Id): Promise<void> {
    const all = await store.readWithheld(this.#parts.store, account);
    const users = new Map(all.map(({ name, host }) => [userText({ name, host }), { name, host }]));
    for (const user of users.values())
      await this.#claimed(account, user, async () => {
        // as it stands now that nobody else changes it
        const its = await store.readWithheld(this.#parts.store, account);
        for (const each of its.filter((one) => userText(one) === userText(user))) {
          await grant(client, user, each.pattern, each.privileges); // a user that is gone gets nothing
          await this.#parts.store.write((tx) => store.removeWithheld(tx, account, user, each.pattern));
        }
      });
    await endProcessesNamed(client, [...users.values()], true);
  }

  /** Resolves with users as their account knows them. */
  async shown<T extends Parameters<typeof store.withWithheld>[1]>(account: Id, own: OwnNames, users: T) {
    return store.withWithheld(own, users, await store.readWithheld(this.#parts.store, account));
  }

  /** Runs `work` while nobody else changes what this user may do. Nothing is to be recovered: the round repeats it. */
  async #claimed(account: Id, user: UserName, work: () => Promise<void>): Promise<void> {
    const { changes } = this.#parts;
    const claim = await changes.claim(account, { kind: 'access', ...user, change: 'create', ip: '' });
    try {
      await work();
    } finally {
      await changes.cancel(claim);
    }
  }
}

/** Resolves with what makes databases grow and these users have. */
async function readGrowing(client: DatabaseClient, users: readonly UserName[]): Promise<store.Withheld[]> {
  if (users.length === 0) return [];
  const rows = await client.query<Row>(
    'select mysql.db.*, user as name, host as host, db as pattern from mysql.db where user in (?)',
    [users.map(({ name }) => Buffer.from(name))],
  );
  const known = new Set(users.map(userText));
  return rows
    .map(({ name, host, pattern = '', ...row }) => ({
      ...{ name, host, pattern },
      privileges: privilegesIn(row).filter(isGrowing),
    }))
    .filter((each) => known.has(userText(each)) && each.privileges.length > 0);
}
