import type { Host } from '../../../kernel/contract/plugin.ts';
import type { DatabaseClient, ManagedDatabases } from '../../../kernel/areas/database-servers.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { isSqlError } from '../../../kernel/kit/databases/mysql-text.ts';
import type { AttemptPart } from '../../../kernel/kit/waiting/reconciling.ts';
import { fail } from '../errors.ts';
import { readCollations, readDatabaseTexts, setCollation } from './collations.ts';

interface Parts extends Pick<Host, 'store' | 'events' | 'identity'> {
  readonly managed: ManagedDatabases;
}
interface Change {
  readonly name: string;
  readonly collation: string;
  readonly ip: string;
}

/**
 * Changes the collation of databases. A change is a row from before the server is asked until its event is recorded; whoever removes
 * the row records the event. To repeat it changes nothing, so the next round ends what a process left.
 */
export class CollationChanges {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Errors: 400 `unknown_collation`, 404 `database_not_found`, 409 `request_in_progress`. */
  async set(account: Account, change: Change): Promise<void> {
    const { store, identity, managed } = this.#parts;
    const { name, collation, ip } = change;
    await managed.with(account, async ({ client, databases }) => {
      if (!databases.includes(name)) throw fail.database_not_found('there is no such database');
      if (!(await readCollations(client)).some((each) => each.collation === collation))
        throw fail.unknown_collation(`the database server has no collation ${collation}`);
      if ((await readDatabaseTexts(client, [name]))[0]?.collation === collation) return;
      await store.write(async (tx) => {
        await identity.accounts.assertExists(tx, account);
        const { changes } = await tx.run(
          `insert into mysql_collation_changes (account_id, name, wanted, ip) values (?, ?, ?, ?)
            on conflict (account_id, name) do nothing`,
          ...[account.id, name, collation, ip],
        );
        if (changes === 0) throw fail.request_in_progress(`${name} is being changed`, { retryAfterSeconds: 1 });
      });
      await this.#end(client, account, change);
    });
  }

  /** Ends the changes at this node that a process did not end. */
  async recover(attempt: AttemptPart): Promise<void> {
    const { store, identity, managed } = this.#parts;
    const rows = await store.all<Change & { readonly account_id: number }>(
      'select account_id, name, wanted as "collation", ip from mysql_collation_changes order by account_id, name',
    );
    for (const { account_id: id, ...change } of rows) {
      const account = await identity.accounts.byId(id);
      if (account === undefined || !identity.accounts.isHere(account) || account.isReadOnly) continue;
      if (!managed.isManaged(account)) continue;
      await attempt(`the collation of ${change.name}`, () =>
        managed.with(account, async ({ client, databases }) => {
          if (databases.includes(change.name)) await this.#end(client, account, change);
          else await this.#remove(account, change);
        }),
      );
    }
  }

  async #end(client: DatabaseClient, account: Account, change: Change): Promise<void> {
    try {
      await setCollation(client, change.name, change.collation);
    } catch (error) {
      if (isSqlError(error)) await this.#remove(account, change);
      throw error;
    }
    await this.#remove(account, change, true);
  }

  async #remove(account: Account, { name, collation, ip }: Change, isDone = false): Promise<void> {
    const { store, events } = this.#parts;
    await store.write(async (tx) => {
      const sql = 'delete from mysql_collation_changes where account_id = ? and name = ? and wanted = ?';
      const isFirst = (await tx.run(sql, account.id, name, collation)).changes === 1;
      if (!isFirst || !isDone) return;
      const text = `gave the database ${name} the collation ${collation}`;
      const data = { database: name, collation };
      await events.record(tx, { type: 'database.collation_changed', account, ip, text, data });
    });
  }
}
