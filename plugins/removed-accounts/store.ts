import type { FormerAccount } from '../../kernel/areas/archives/account-maker.ts';
import { KEPT_MS } from '../../kernel/areas/tasks/task-store.ts';
import type { AccountBackups, KeptBackups } from '../../kernel/areas/backups/account-backups.ts';
import type { Reader, Tx } from '../../kernel/store/store.ts';

/** A removed account, as this machine knows it; see its table. */
export interface RemovedRow {
  readonly id: number;
  readonly username: string;
  readonly removed_at: number;
  readonly purged_at: number | null;
  readonly newest_at: number;
  readonly size_bytes: number;
  readonly sealed: string;
  readonly is_restoring: number;
  readonly made_id: number | null;
}
/** The sealed part: what an account was, and what makes its backups those of another. */
export interface Kept extends Pick<KeptBackups, 'key' | 'backups'> {
  readonly account: FormerAccount;
}

/** Returns where the repository is: a purge puts it aside. */
export const repositoryAt = (backups: Pick<AccountBackups, 'at'>, row: RemovedRow): string =>
  row.purged_at === null ? backups.at(row) : backups.at(row, 'removed');

const COLUMNS = 'id, username, removed_at, purged_at, newest_at, size_bytes, sealed, is_restoring, made_id';
const LISTED = 1000;

export const keptName = ({ username, id }: Pick<RemovedRow, 'username' | 'id'>): string => `${username}.${id}`;

/** Returns the id in the name of a removed account; 0, which no account has, for any other text. */
export const idIn = (name: string): number => Number(/\.(\d{1,15})$/.exec(name)?.[1] ?? 0);

/** Resolves with those that were removed, last first, and those that were about to be. */
export function listNoted(local: Reader): Promise<RemovedRow[]> {
  return local.all<RemovedRow>(
    `select ${COLUMNS} from removed_account_backups order by removed_at desc, id limit ${LISTED}`,
  );
}

export function findRemoved(local: Reader, id: number): Promise<RemovedRow | undefined> {
  return local.get<RemovedRow>(`select ${COLUMNS} from removed_account_backups where id = ?`, id);
}

type Noted = Pick<RemovedRow, 'id' | 'username' | 'newest_at' | 'size_bytes' | 'sealed'>;

/** Notes an account that is about to be removed, as it is by now. */
export async function noteRemoval(tx: Tx, { id, username, newest_at: newest, size_bytes: size, sealed }: Noted) {
  await forget(tx, id);
  await tx.run(
    `insert into removed_account_backups (id, username, removed_at, newest_at, size_bytes, sealed)
      values (?, ?, ?, ?, ?, ?)`,
    ...[id, username, Date.now(), newest, size, sealed],
  );
}

export async function notePurge(tx: Tx, id: number, removedAt: number): Promise<void> {
  const sql = 'update removed_account_backups set removed_at = ?, purged_at = ? where id = ?';
  await tx.run(sql, removedAt, Date.now(), id);
}

/** Notes that an account is being made of a removed one, and which. */
export async function noteRestoring(tx: Tx, id: number, isRestoring: boolean, madeId: number | null): Promise<void> {
  const sql = 'update removed_account_backups set is_restoring = ?, made_id = ? where id = ?';
  await tx.run(sql, Number(isRestoring), madeId, id);
}

export async function forget(tx: Tx, id: number): Promise<void> {
  await tx.run('delete from removed_account_backups where id = ?', id);
}

export async function forgetTasks(tx: Tx): Promise<void> {
  await tx.run('delete from removed_account_tasks where ended_at < ?', Date.now() - KEPT_MS);
}
