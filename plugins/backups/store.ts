import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeptBackup, KeptDatabase } from '../../kernel/areas/backups/account-backups.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { undefinedIfMissing } from '../../kernel/kit/files/if-missing.ts';
import type { Reader, Store, Tx } from '../../kernel/store/store.ts';
import { unchosen, type Schedule } from './schedule.ts';

/** A backup, as this machine knows it. */
export type BackupRow = Omit<KeptBackup, 'databases'>;
/** A database of a backup, or one that is missing in it; see its table. */
export type DatabaseRow = KeptDatabase;

type Row = Omit<BackupRow, 'is_scheduled'> & { readonly is_scheduled: number };

/** The only file of a snapshot of a database. */
export const DUMP_FILE = 'database.sql';
/** In a repository that came from elsewhere, until its backups are rows. */
export const ROWS = 'adopted.json';
/** The beginning of the id of a backup without files. */
export const WITHOUT_FILES = 'databases-';
/** Whether a backup has files; else its id is that of no snapshot. */
export const hasFiles = ({ id }: Pick<BackupRow, 'id'>): boolean => !id.startsWith(WITHOUT_FILES);
/** Returns when a backup was made, as text. */
export const madeAt = ({ created_at: at }: Pick<BackupRow, 'created_at'>): string => new Date(at).toISOString();
const BACKUP = 'id, created_at, files, size_bytes, added_bytes, left_out, is_scheduled';
const DATABASE = 'engine, name, snapshot, size_bytes, problem';
const SCHEDULE = 'schedule, weekday, hour, kept, tried_at';

/** Resolves with the backups of an account, newest first. */
export async function listBackups(local: Reader, account: number): Promise<BackupRow[]> {
  const sql = `select ${BACKUP} from backups where account_id = ? order by created_at desc, id`;
  return (await local.all<Row>(sql, account)).map(fromRow);
}

/** Adds a backup, unless it is known. */
export async function addBackup(tx: Tx, account: number, { databases, ...backup }: KeptBackup): Promise<void> {
  const { id, created_at: at, files, size_bytes: size, added_bytes: added, left_out: leftOut, is_scheduled } = backup;
  const { changes } = await tx.run(
    `insert into backups (account_id, ${BACKUP}) values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (id) do nothing`,
    ...[account, id, at, files, size, added, leftOut, Number(is_scheduled)],
  );
  for (const { engine, name, snapshot, size_bytes: bytes, problem } of changes === 0 ? [] : databases)
    await tx.run(
      `insert into backup_databases (account_id, backup_id, ${DATABASE}) values (?, ?, ?, ?, ?, ?, ?)`,
      ...[account, id, engine, name, snapshot, bytes, problem],
    );
}

/** Adds the backups of a repository that came from elsewhere, unless this was done. */
export async function adoptRows(local: Store, { id }: Pick<Account, 'id'>, folder: string): Promise<void> {
  const text = await readFile(join(folder, ROWS), 'utf8').catch(undefinedIfMissing);
  if (text === undefined) return;
  await local.write(async (tx) => {
    for (const backup of JSON.parse(text) as KeptBackup[]) await addBackup(tx, id, backup);
  });
  await rm(join(folder, ROWS));
}

/** Whether the snapshot of its files is there, if it has some. */
export const isWhole = (backup: KeptBackup, there: ReadonlySet<string>): boolean =>
  !hasFiles(backup) || there.has(backup.id);

export async function removeBackup(tx: Tx, account: number, id: string): Promise<void> {
  await tx.run('delete from backups where account_id = ? and id = ?', account, id);
}

/** Removes what this machine knows of the backups of an account. */
export async function removeRows(tx: Tx, account: number): Promise<void> {
  for (const table of ['backups', 'backup_repositories'])
    await tx.run(`delete from ${table} where account_id = ?`, account);
}

/** Resolves with the databases of a backup, sorted. */
export function listDatabases(local: Reader, backup: string): Promise<DatabaseRow[]> {
  const sql = `select ${DATABASE} from backup_databases where backup_id = ? order by engine, name`;
  return local.all<DatabaseRow>(sql, backup);
}

/** Resolves with the backups of an account, newest first, each with its databases. */
export async function listKept(local: Reader, account: number): Promise<KeptBackup[]> {
  const backups = await listBackups(local, account);
  return Promise.all(backups.map(async (each) => ({ ...each, databases: await listDatabases(local, each.id) })));
}

/** Resolves with when the newest backup of each account was made, by account, in milliseconds since 1970. */
export async function newestBackups(local: Reader): Promise<Map<number, number>> {
  const sql = 'select account_id as account, max(created_at) as newest from backups group by account_id';
  const rows = await local.all<{ account: number; newest: number }>(sql);
  return new Map(rows.map(({ account, newest }) => [account, newest]));
}

/** Resolves with what the repository of an account took last. */
export async function repositoryBytes(local: Reader, account: number): Promise<number> {
  const sql = 'select size_bytes from backup_repositories where account_id = ?';
  return (await local.get<{ size_bytes: number }>(sql, account))?.size_bytes ?? 0;
}

export async function keepRepositoryBytes(tx: Tx, account: number, sizeBytes: number): Promise<void> {
  const sql = `insert into backup_repositories (account_id, size_bytes) values (?, ?)
    on conflict (account_id) do update set size_bytes = excluded.size_bytes`;
  await tx.run(sql, account, sizeBytes);
}

/** Resolves with the sealed key of an account's repository; `made` if there was none, or if that replaces it. The account exists. */
export async function keepKey(tx: Tx, account: number, made: string, replaces = false): Promise<string> {
  const then = replaces ? 'update set sealed = excluded.sealed' : 'nothing';
  const sql = `insert into backup_keys (account_id, sealed) values (?, ?) on conflict (account_id) do ${then}`;
  await tx.run(sql, account, made);
  const row = await tx.get<{ sealed: string }>('select sealed from backup_keys where account_id = ?', account);
  return row?.sealed ?? made;
}

export async function readSchedule(reader: Reader, account: number): Promise<Schedule> {
  const sql = `select ${SCHEDULE} from backup_schedules where account_id = ?`;
  return (await reader.get<Schedule>(sql, account)) ?? unchosen(account);
}

/** Resolves with the schedules of the accounts of all nodes, by account. */
export async function readSchedules(reader: Reader): Promise<Map<number, Schedule>> {
  const sql = `select account_id as account, ${SCHEDULE} from backup_schedules`;
  const rows = await reader.all<Schedule & { readonly account: number }>(sql);
  return new Map(rows.map(({ account, ...schedule }) => [account, schedule]));
}

export async function writeSchedule(tx: Tx, account: number, row: Schedule): Promise<void> {
  const { schedule, weekday, hour, kept, tried_at: triedAt } = row;
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

const fromRow = (row: Row): BackupRow => ({ ...row, is_scheduled: row.is_scheduled === 1 });
