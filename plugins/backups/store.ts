import type { Reader, Tx } from '../../kernel/store/store.ts';

/** A backup, as this machine knows it. */
export interface BackupRow {
  /** Of the snapshot of its files. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly files: number;
  readonly sizeBytes: number;
  readonly addedBytes: number;
  readonly leftOut: number;
  readonly isScheduled: boolean;
  /** Whether it has files; else its id is that of no snapshot. */
  readonly hasFiles: boolean;
}
/** A database of a backup, or one that is missing in it; see its table. */
export interface DatabaseRow {
  readonly engine: string;
  readonly name: string;
  readonly snapshot: string | null;
  readonly size_bytes: number;
  readonly problem: string | null;
}
export interface Schedule {
  readonly schedule: 'off' | 'daily' | 'weekly';
  readonly weekday: number;
  readonly hour: number;
  readonly kept: number;
  /** Milliseconds since 1970; 0 for never. */
  readonly triedAt: number;
}

interface Row {
  readonly id: string;
  readonly created_at: number;
  readonly files: number;
  readonly size_bytes: number;
  readonly added_bytes: number;
  readonly left_out: number;
  readonly is_scheduled: number;
}
interface ScheduleRow extends Omit<Schedule, 'triedAt'> {
  readonly account_id: number;
  readonly tried_at: number;
}

export const NO_SCHEDULE: Schedule = { schedule: 'off', weekday: 0, hour: 3, kept: 0, triedAt: 0 };
/** The beginning of the id of a backup without files. */
export const WITHOUT_FILES = 'databases-';
const COLUMNS = 'id, created_at, files, size_bytes, added_bytes, left_out, is_scheduled';
const DATABASE = 'engine, name, snapshot, size_bytes, problem';
const SCHEDULE = 'schedule, weekday, hour, kept, tried_at';

/** Resolves with the backups of an account, newest first. */
export async function listBackups(local: Reader, account: number): Promise<BackupRow[]> {
  const sql = `select ${COLUMNS} from backups where account_id = ? order by created_at desc, id`;
  return (await local.all<Row>(sql, account)).map(fromRow);
}

export async function findBackup(local: Reader, account: number, id: string): Promise<BackupRow | undefined> {
  const row = await local.get<Row>(`select ${COLUMNS} from backups where account_id = ? and id = ?`, account, id);
  return row && fromRow(row);
}

export async function addBackup(tx: Tx, account: number, backup: Omit<BackupRow, 'hasFiles'>): Promise<void> {
  const { id, createdAt, files, sizeBytes, addedBytes, leftOut, isScheduled } = backup;
  await tx.run(
    `insert into backups (account_id, ${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[account, id, createdAt, files, sizeBytes, addedBytes, leftOut, Number(isScheduled)],
  );
}

export async function removeBackup(tx: Tx, account: number, id: string): Promise<void> {
  await tx.run('delete from backups where account_id = ? and id = ?', account, id);
}

/** Resolves with the databases of a backup, sorted. */
export function listDatabases(local: Reader, backup: string): Promise<DatabaseRow[]> {
  const sql = `select ${DATABASE} from backup_databases where backup_id = ? order by engine, name`;
  return local.all<DatabaseRow>(sql, backup);
}

export async function addDatabase(tx: Tx, account: number, backup: string, row: DatabaseRow): Promise<void> {
  const { engine, name, snapshot, size_bytes: sizeBytes, problem } = row;
  await tx.run(
    `insert into backup_databases (account_id, backup_id, ${DATABASE}) values (?, ?, ?, ?, ?, ?, ?)`,
    ...[account, backup, engine, name, snapshot, sizeBytes, problem],
  );
}

/** Resolves with what the repository of an account took last. */
export async function repositoryBytes(local: Reader, account: number): Promise<number> {
  const sql = 'select size_bytes from backup_repositories where account_id = ?';
  return (await local.get<{ size_bytes: number }>(sql, account))?.size_bytes ?? 0;
}

export async function keepRepositoryBytes(tx: Tx, account: number, sizeBytes: number): Promise<void> {
  await tx.run(
    `insert into backup_repositories (account_id, size_bytes) values (?, ?)
      on conflict (account_id) do update set size_bytes = excluded.size_bytes`,
    ...[account, sizeBytes],
  );
}

/** Resolves with when the newest backup of this machine was made, and when the newest of the account that waits longest was. */
export async function ages(local: Reader): Promise<{ readonly newest: number; readonly oldest: number } | undefined> {
  const row = await local.get<{ newest: number | null; oldest: number | null }>(
    `select max(newest) as newest, min(newest) as oldest
      from (select max(created_at) as newest from backups group by account_id)`,
  );
  return row?.newest == null || row.oldest === null ? undefined : { newest: row.newest, oldest: row.oldest };
}

/** Resolves with the sealed key of an account's repository; `made` if there was none. The account exists. */
export async function keepKey(tx: Tx, account: number, made: string): Promise<string> {
  const sql = 'insert into backup_keys (account_id, sealed) values (?, ?) on conflict (account_id) do nothing';
  await tx.run(sql, account, made);
  const row = await tx.get<{ sealed: string }>('select sealed from backup_keys where account_id = ?', account);
  return row?.sealed ?? made;
}

export async function readSchedule(reader: Reader, account: number): Promise<Schedule> {
  const row = await reader.get<ScheduleRow>(
    `select account_id, ${SCHEDULE} from backup_schedules where account_id = ?`,
    account,
  );
  return row === undefined ? NO_SCHEDULE : fromSchedule(row);
}

/** Resolves with the schedules of all accounts of all nodes that have one. */
export async function listSchedules(
  reader: Reader,
): Promise<{ readonly account: number; readonly schedule: Schedule }[]> {
  const rows = await reader.all<ScheduleRow>(
    `select account_id, ${SCHEDULE} from backup_schedules where schedule <> 'off' order by tried_at, account_id`,
  );
  return rows.map((row) => ({ account: row.account_id, schedule: fromSchedule(row) }));
}

export async function writeSchedule(tx: Tx, account: number, { triedAt, ...rest }: Schedule): Promise<void> {
  const { schedule, weekday, hour, kept } = rest;
  await tx.run(
    `insert into backup_schedules (account_id, ${SCHEDULE}) values (?, ?, ?, ?, ?, ?)
      on conflict (account_id) do update set schedule = excluded.schedule, weekday = excluded.weekday,
        hour = excluded.hour, kept = excluded.kept, tried_at = excluded.tried_at`,
    ...[account, schedule, weekday, hour, kept, triedAt],
  );
}

/** Notes that a backup is begun by a schedule. Resolves with false if another process noted that meanwhile. */
export async function noteTry(tx: Tx, account: number, before: number, now: number): Promise<boolean> {
  const sql = 'update backup_schedules set tried_at = ? where account_id = ? and tried_at = ?';
  return (await tx.run(sql, now, account, before)).changes === 1;
}

const fromRow = (row: Row): BackupRow => ({
  id: row.id,
  createdAt: row.created_at,
  files: row.files,
  sizeBytes: row.size_bytes,
  addedBytes: row.added_bytes,
  leftOut: row.left_out,
  isScheduled: row.is_scheduled === 1,
  hasFiles: !row.id.startsWith(WITHOUT_FILES),
});

const fromSchedule = ({ schedule, weekday, hour, kept, tried_at }: ScheduleRow): Schedule => ({
  ...{ schedule, weekday, hour, kept },
  triedAt: tried_at,
});
