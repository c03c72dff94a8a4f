import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { UserName } from '../../../kernel/kit/databases/mysql-text.ts';
import type { Reader, Tx } from '../../../kernel/store/store.ts';
import type { ResourceLimits } from './limits.ts';

/** The limits of a user apart from those of the plan. */
export interface OwnLimits extends UserName {
  readonly accountId: number;
  readonly own: ResourceLimits;
}

interface Row extends UserName {
  readonly account_id: number;
  readonly own: string;
}

/** Resolves with those of one account, or of all. */
export async function readOwnLimits(reader: Reader, account?: Pick<Account, 'id'>): Promise<OwnLimits[]> {
  const sql = 'select account_id, name, host, own from mysql_user_limits';
  const order = 'order by account_id, name, host';
  const rows = await (account === undefined
    ? reader.all<Row>(`${sql} ${order}`)
    : reader.all<Row>(`${sql} where account_id = ? ${order}`, account.id));
  return rows.map(({ account_id: accountId, name, host, own }) => ({
    ...{ accountId, name, host },
    own: JSON.parse(own) as ResourceLimits,
  }));
}

export async function keepOwnLimits(tx: Tx, { accountId, name, host, own }: OwnLimits): Promise<void> {
  await tx.run(
    `insert into mysql_user_limits (account_id, name, host, own) values (?, ?, ?, ?)
      on conflict (account_id, name, host) do update set own = excluded.own`,
    ...[accountId, name, host, JSON.stringify(own)],
  );
}

export async function forgetOwnLimits(tx: Tx, { accountId, name, host }: OwnLimits): Promise<void> {
  await tx.run(
    'delete from mysql_user_limits where account_id = ? and name = ? and host = ?',
    ...[accountId, name, host],
  );
}
