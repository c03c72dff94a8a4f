import type { Host } from '../../../kernel/contract/plugin.ts';
import type { FullSize, LimitedDatabases } from '../../../kernel/areas/database-servers.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { AccountServers, Owner } from '../account-servers.ts';
import { endProcessesNamed } from '../processes.ts';
import type { AccessRights } from '../users/access-rights.ts';
import { mayWrite } from '../users/temporary-users.ts';
import { readUsers } from '../users/users.ts';
import { isStopped } from './withheld.ts';

interface Parts extends Pick<Host, 'store' | 'identity' | 'events'> {
  readonly servers: AccountServers;
  readonly rights: AccessRights;
}

/** Stops the writing of accounts, and lets them write again. A row of the store says who is stopped, and goes with its account to another node. */
export class Writing implements Omit<LimitedDatabases, 'isManaged' | 'sizeBytes'> {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  isStopped(account: Owner): Promise<boolean> {
    return isStopped(this.#parts.store, account);
  }

  async stopped(): Promise<number[]> {
    const rows = await this.#parts.store.all<{ id: number }>(
      'select account_id as id from mysql_stopped union select account_id from mysql_withheld',
    );
    return rows.map(({ id }) => id);
  }

  async stopWriting(account: Account, { limitMib }: FullSize, isThorough: boolean): Promise<void> {
    const { store, events, identity, servers, rights } = this.#parts;
    const isDone = async () => {
      const sql = 'select is_done from mysql_stopped where account_id = ?';
      return (await store.get<{ is_done: number }>(sql, account.id))?.is_done === 1;
    };
    if (!isThorough && (await isDone())) return;
    await store.write(async (tx) => {
      await identity.accounts.assertExists(tx, account);
      const sql = 'insert into mysql_stopped (account_id, is_done) values (?, 0) on conflict do nothing';
      if ((await tx.run(sql, account.id)).changes === 0) return;
      const text = `has reached the ${limitMib} MiB of its databases, which can only be read and emptied now`;
      const data = { limit: limitMib };
      await events.record(tx, { type: 'databases.writing_stopped', account, ip: '', text, data });
    });
    const setDone = (value: number) =>
      store.write((tx) => tx.run('update mysql_stopped set is_done = ? where account_id = ?', value, account.id));
    await servers.with(account, async ({ client, ownNames }) => {
      const users = (await readUsers(client, await ownNames())).filter(mayWrite);
      if ((await isDone()) && !(await rights.mayGrow(client, users))) return;
      await setDone(0); // from before the first is revoked: connections have to be closed after it
      await rights.withhold(client, account, users);
      await endProcessesNamed(client, users); // a connection keeps its rights on the database that it uses
      await setDone(1);
    });
  }

  async resumeWriting(account: Account, limitMib: number): Promise<void> {
    const { store, events, servers, rights } = this.#parts;
    await servers.with(account, ({ client }) => rights.giveBack(client, account));
    await store.write(async (tx) => {
      const sql = `delete from mysql_stopped where account_id = ?
        and not exists (select 1 from mysql_withheld where account_id = ?)`;
      if ((await tx.run(sql, account.id, account.id)).changes === 0) return;
      const text = 'has room for its databases again, which can be written from now on';
      const data = { limit: limitMib };
      await events.record(tx, { type: 'databases.writing_resumed', account, ip: '', text, data });
    });
  }
}
