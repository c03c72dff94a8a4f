import type { Host } from '../../../kernel/contract/plugin.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';

/** How far the databases of an account that has reached its size are open: they can be read and emptied, or nobody connects. */
export type Stage = 'read_only' | 'closed';

export interface Stopped {
  readonly stage: Stage;
  /** The least size that they have had since. */
  readonly leastBytes: number;
  /** Sessions that began before that, by the server's clock, may write; empty until all databases are as the stage says. */
  readonly endBefore: string;
}

type Parts = Pick<Host, 'store' | 'identity' | 'events'>;
type Id = { readonly id: number };

/** The accounts that are stopped, each a row of the store from before the server is asked until all is as it was there. */
export class StoppedAccounts {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async ids(): Promise<number[]> {
    const rows = await this.#parts.store.all<Id>('select account_id as id from postgresql_stopped');
    return rows.map(({ id }) => id);
  }

  find({ id }: Id): Promise<Stopped | undefined> {
    return this.#parts.store.get<Stopped>(
      `select stage, least_bytes as "leastBytes", end_before as "endBefore" from postgresql_stopped where account_id = ?`,
      id,
    );
  }

  /** Keeps how far an account is stopped, and tells it of another stage. Errors: 404 `account_not_found`. */
  keep(account: Account, stage: Stage, leastBytes: number, limitMib: number): Promise<void> {
    const { store, identity, events } = this.#parts;
    return store.write(async (tx) => {
      await identity.accounts.assertExists(tx, account);
      const before = await tx.get<Stopped>('select stage from postgresql_stopped where account_id = ?', account.id);
      await tx.run(
        `insert into postgresql_stopped (account_id, stage, least_bytes, end_before) values (?, ?, ?, '')
          on conflict (account_id) do update set stage = excluded.stage, least_bytes = excluded.least_bytes`,
        ...[account.id, stage, leastBytes],
      );
      if (before?.stage === stage) return;
      await events.record(tx, { account, ip: '', data: { limit: limitMib }, ...toldOf(stage, limitMib) });
    });
  }

  async keepEndBefore({ id }: Id, endBefore: string): Promise<void> {
    const sql = 'update postgresql_stopped set end_before = ? where account_id = ?';
    await this.#parts.store.write((tx) => tx.run(sql, endBefore, id));
  }

  remove(account: Account, limitMib: number): Promise<void> {
    return this.#parts.store.write(async (tx) => {
      if ((await tx.run('delete from postgresql_stopped where account_id = ?', account.id)).changes === 0) return;
      const text = 'has room for its PostgreSQL databases again, which can be written from now on';
      const data = { limit: limitMib };
      await this.#parts.events.record(tx, { type: 'postgresql.writing_resumed', account, ip: '', text, data });
    });
  }
}

function toldOf(stage: Stage, limitMib: number) {
  return stage === 'closed'
    ? ({
        type: 'postgresql.closed',
        text: 'wrote to its full PostgreSQL databases: nobody connects to them now',
      } as const)
    : ({
        type: 'postgresql.writing_stopped',
        text: `has reached the ${limitMib} MiB of its PostgreSQL databases, which can only be read and emptied now`,
      } as const);
}
