import type { Account } from '../../identity/accounts/account.ts';

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
