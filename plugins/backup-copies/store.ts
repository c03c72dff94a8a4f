import type { Reader, Tx } from '../../kernel/store/store.ts';

/** The copy of the backups of an account, as this machine knows it. */
export interface CopyRow {
  readonly account_id: number;
  /** Milliseconds since 1970, as the next; `null` before the first copy. */
  readonly copied_at: number | null;
  readonly newest_at: number | null;
  readonly backups: number;
  readonly problem: string | null;
}
/** A copy that is complete. */
interface Copied {
  readonly name: string;
  readonly newestAt: number;
  readonly backups: number;
}

const COLUMNS = 'account_id, copied_at, newest_at, backups, problem';
const LISTED = 1000;

/** Resolves with the copies of this node's accounts: those that failed, then the oldest first. */
export function listCopies(local: Reader): Promise<CopyRow[]> {
  return local.all(
    `select ${COLUMNS} from backup_copies where copied_at is not null or problem is not null
      order by problem is null, copied_at, account_id limit ${LISTED}`,
  );
}

export function findCopy(local: Reader, account: number): Promise<CopyRow | undefined> {
  return local.get(`select ${COLUMNS} from backup_copies where account_id = ?`, account);
}

/** Resolves with when the newest backup in the copy of each account was made, by account. */
export async function newestCopied(local: Reader): Promise<ReadonlyMap<number, number | null>> {
  const rows = await local.all<CopyRow>(`select ${COLUMNS} from backup_copies`);
  return new Map(rows.map(({ account_id: id, newest_at: at }) => [id, at]));
}

export async function keepCopied(tx: Tx, account: number, { name, newestAt, backups }: Copied): Promise<void> {
  const now = Date.now();
  await tx.run(
    `insert into backup_copies (account_id, done_at, name, copied_at, newest_at, backups) values (?, 0, ?, ?, ?, ?)
      on conflict (account_id) do update set name = excluded.name, copied_at = excluded.copied_at,
        newest_at = excluded.newest_at, backups = excluded.backups, problem = null`,
    ...[account, name, now, newestAt, backups],
  );
  await keepName(tx, name, now);
}

/** Notes that there may be a copy of a name at the remote. */
export async function keepName(tx: Tx, name: string, now: number): Promise<void> {
  const sql = `insert into backup_copy_names (name, copied_at) values (?, ?)
    on conflict (name) do update set copied_at = excluded.copied_at`;
  await tx.run(sql, name, now);
}

/** Notes why a try failed. Resolves with whether the one before did not. */
export async function keepProblem(tx: Tx, account: number, problem: string): Promise<boolean> {
  const before = await findCopy(tx, account);
  await tx.run(
    `insert into backup_copies (account_id, done_at, problem) values (?, 0, ?)
      on conflict (account_id) do update set problem = excluded.problem`,
    ...[account, problem],
  );
  return (before?.problem ?? null) === null;
}

/** Resolves with the names of copies that are no longer the one of an account here, and were last made before `time`. */
export async function oldNames(local: Reader, time: number): Promise<string[]> {
  const sql = `select n.name as name from backup_copy_names n left join backup_copies c on c.name = n.name
    where c.name is null and n.copied_at < ?`;
  return (await local.all<{ name: string }>(sql, time)).map(({ name }) => name);
}

export async function forgetName(tx: Tx, name: string): Promise<void> {
  await tx.run('delete from backup_copy_names where name = ?', name);
}

/** Resolves with when the oldest copy of an account was made, in milliseconds since 1970, and with how many failed. */
export async function outcomes(local: Reader): Promise<{ readonly oldest: number | null; readonly failed: number }> {
  const sql = 'select min(copied_at) as oldest, count(problem) as failed from backup_copies';
  return (await local.get<{ oldest: number | null; failed: number }>(sql)) ?? { oldest: null, failed: 0 };
}
