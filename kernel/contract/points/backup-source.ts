import type { Account } from '../../identity/accounts/account.ts';
import type { IncomingBody } from '../incoming-body.ts';

/** The kind of the settings of an account among what a backup has besides files; of a database, it is that of its server. */
export const SETTINGS = 'settings';

export const isDatabase = ({ engine }: Pick<BackupSource, 'engine'>): boolean => engine !== SETTINGS;

/** How a backup reads what accounts have besides files, of one kind. */
export interface BackupSource {
  /** The kind; of databases as in `ExtensionPoints.databasesElsewhere`. */
  readonly engine: string;
  /**
   * Resolves with what the account has of the kind; with none where others manage it. What is no database has an empty name, by which no
   * request can ask for its content. Errors: those of the server.
   */
  names(account: Account): Promise<readonly string[]>;
  /**
   * Calls `read` with one of them as it is at one moment: a database as statements that also drop what they make. No faster than it is
   * read; the server's work ends with `read`, and with the signal. Errors: 404 `database_not_found`, those of the server, of the dump
   * and of `read`.
   */
  dump(
    account: Account,
    name: string,
    run: SourceRun,
    read: (dump: AsyncIterable<Uint8Array>) => Promise<void>,
  ): Promise<void>;
}

export interface SourceRun {
  /** Who asked for it; empty for work of the server's own. */
  readonly ip: string;
  readonly signal: AbortSignal;
}

/** How a backup reads and restores the databases that accounts have at servers of one kind. */
export interface DatabaseBackups extends BackupSource {
  /**
   * Makes an empty database. Resolves with its whole name, in which the account's prefix is before `suffix`. Errors: 400
   * `invalid_database_name`, 409 `database_exists`, `database_limit_reached`, those of the server.
   */
  create(account: Account, suffix: string, ip: string): Promise<string>;
  /**
   * Runs such statements in a database, which stays: what they make takes the place of what is there. Errors: 404 `database_not_found`,
   * 422 `import_failed` with the line, those of the server.
   */
  restore(account: Account, name: string, run: SourceRun & { readonly body: IncomingBody }): Promise<void>;
}
