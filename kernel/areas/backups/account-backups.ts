import type { Account } from '../../identity/accounts/account.ts';
import type { IncomingBody } from '../../contract/incoming-body.ts';
import type { TaskRun } from '../tasks/account-tasks.ts';
import type { AccountTask, Counted, Ended } from '../tasks/task-store.ts';

/** A backup, with what it has besides files; see `BackupSource`. */
export interface KeptBackup {
  /** Of the snapshot of its files; that of one without files names none. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly created_at: number;
  readonly files: number;
  readonly size_bytes: number;
  readonly added_bytes: number;
  readonly left_out: number;
  readonly is_scheduled: boolean;
  readonly databases: readonly KeptDatabase[];
}
export interface KeptDatabase {
  readonly engine: string;
  readonly name: string;
  /** `null` for one that is missing in the backup, which `problem` explains. */
  readonly snapshot: string | null;
  readonly size_bytes: number;
  readonly problem: string | null;
}

/** A repository of restic, and the backups in it. */
export interface KeptBackups {
  readonly folder: string;
  /** A place beside it, which goes with it. */
  readonly beside: string;
  /** Its password. */
  readonly key: string;
  readonly backups: readonly KeptBackup[];
}

/** How the backups of an account do. */
export interface BackupStanding {
  readonly schedule: 'off' | 'daily' | 'weekly';
  /** Whether the plan says so, because the account has not chosen it. */
  readonly isByPlan: boolean;
  /** Milliseconds since 1970, as all times here; `null` without any. */
  readonly newestAt: number | null;
  readonly kept: number;
  /** Of the repository. */
  readonly sizeBytes: number;
  readonly limitBytes: number;
  /** The last backup that was begun and has ended; `null` if none did within a week. */
  readonly last: { readonly endedAt: number; readonly error: string | null; readonly detail: string | null } | null;
}
/** The service of the plugin that proves that backups can be read. */
export interface BackupChecks {
  /** Resolves with the last check of each account of this node that had backups then, by account, and why they could not be read. */
  outcomes(): Promise<ReadonlyMap<number, { readonly checkedAt: number; readonly problem: string | null }>>;
}

/** The service of the plugin that has the settings of accounts in their backups. */
export interface SettingsBackups {
  /**
   * Puts back what it can of settings that were saved for an account that is gone, `was`, in the new and open one of its owner; `by` is who
   * does so. Resolves with what could not be put back. Errors: 422 `settings_refused` for those of anybody else, 409 `account_not_open`.
   */
  bringBack(
    account: Account,
    was: Pick<Account, 'id'>,
    content: IncomingBody,
    run: { readonly by: string; readonly signal: AbortSignal },
  ): Promise<string[]>;
}

/** The service of the plugin that makes backups, for those that prove that they can be read, copy them elsewhere, and add to them. */
export interface AccountBackups {
  /** Rejects with 503 while nothing can be checked on this node. */
  assertAvailable(): Promise<void>;
  /** The program that makes them, and the MiB of memory that it may take. */
  readonly restic: { readonly program: string; readonly memoryMib: number };
  /** Resolves with when the newest backup of each account of this node was made, by account. */
  newest(): Promise<ReadonlyMap<number, number>>;
  /** Resolves with what tells of an account of this node how its backups do. */
  standings(): Promise<(account: Account) => BackupStanding>;
  /**
   * Resolves with what `work` makes of the repository of an account, which nothing changes meanwhile; with `undefined` without backups.
   * Errors: 409 `backups_busy` while other work has them, 503 `backup_unreadable` if a snapshot is missing, those of `work`.
   */
  withRepository<T>(
    account: Account,
    signal: AbortSignal,
    work: (kept: KeptBackups) => Promise<T>,
  ): Promise<T | undefined>;
  /**
   * Takes backups whose repository `fill` puts into a folder; without a `key`, that of the account opens it. Resolves with how many there
   * are: those whose snapshots it has. With `isHeld`, the caller keeps others from the backups of the account. Errors: 409 `backups_exist`
   * if the account has some, unless they are to be replaced, 409 `backups_busy`, 503 `backup_unreadable`, those of `fill`.
   */
  adopt(
    account: Account,
    kept: Pick<KeptBackups, 'backups'> & Partial<Pick<KeptBackups, 'key'>>,
    how: { readonly signal: AbortSignal; readonly replaces: boolean; readonly isHeld?: boolean },
    fill: (folder: string) => Promise<void>,
  ): Promise<number>;
  /** Resolves with what makes the backups of an account those of another; `undefined` without backups. */
  kept(account: Account): Promise<(Pick<KeptBackups, 'key' | 'backups'> & { readonly sizeBytes: number }) | undefined>;
  /**
   * Returns where the repository of an account is, or a place beside it: `removed` has that of a removed account that a plugin keeps (see
   * `ExtensionPoints.keepsBackups`); `arriving` and `leaving` are for who moves one, and go with it.
   */
  at(account: Pick<Account, 'id'>, beside?: 'removed' | 'arriving' | 'leaving'): string;
  /** Says that backups move with their accounts, which a plugin does. */
  takeMoves(): void;
  /** Removes the backups of an account that does not live here, with its repository and what is beside that. Can be repeated. */
  forget(account: Pick<Account, 'id'>): Promise<void>;
  /** Restores all files of a backup. Errors: 404 `backup_not_found`, 409 `backups_busy`, 507 `no_space`, those of restic's run. */
  restoreFiles(account: Account, id: string, run: TaskRun): Promise<Counted>;
  /** Resolves with what a backup has besides files. Errors: 404 `backup_not_found`, `database_not_found`, those of restic's run. */
  read(
    account: Account,
    named: { readonly id: string; readonly engine: string; readonly database: string },
    signal: AbortSignal,
  ): Promise<IncomingBody>;
  /** Resolves with what a backup has of a kind besides databases, or why not; `undefined` if nobody tried. Errors: 404 `backup_not_found`. */
  item(account: Account, id: string, engine: string): Promise<KeptDatabase | undefined>;
  /**
   * Begins to restore that, by `put`, which takes what the backup has: bytes that came through a process of the account. Errors: 404
   * `backup_not_found`, `database_not_found`, 503 `overloaded`; of the task, those of `put`.
   */
  restoreItem(
    account: Account,
    named: { readonly id: string; readonly engine: string },
    put: (content: IncomingBody, signal: AbortSignal) => Promise<Pick<Ended, 'leftOut' | 'detail'>>,
  ): Promise<AccountTask>;
}
