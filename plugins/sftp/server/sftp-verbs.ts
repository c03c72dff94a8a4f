import type { Identified } from '../../../kernel/kit/jobs/job.ts';
import type { LoginEntry } from './login-entry.ts';
import type { LoginLine } from './login-files.ts';
import type { SeenLogin } from './login-log.ts';
import type { SftpSession } from './sessions.ts';
import type { StoredFile } from './stored-log.ts';

/** A login that can log in at this node. */
export type Kept = Pick<LoginLine, 'accountId' | 'name' | 'digest'>;

export interface Serving {
  /** Of the server's key. */
  readonly fingerprint: string;
  readonly isRunning: boolean;
  /** Whether it is configured for FTPS, which takes a usable certificate. */
  readonly hasFtps: boolean;
}
export interface Served extends Serving {
  /** Why ProFTPD does not serve as the settings say; `null` where it does. */
  readonly problem: string | null;
  /** All logins of this node. */
  readonly kept: readonly Kept[];
  /** In the last minute at least. */
  readonly lastLogins: readonly SeenLogin[];
  /** Connections that were refused at these logins, in the last minute at least. */
  readonly failures: readonly SeenLogin[];
  /** Files that were stored through these logins since the last call. */
  readonly stored: readonly StoredFile[];
}

export interface SftpVerbs {
  serving(nothing: null): Promise<Serving>;
  /** Makes what ProFTPD reads where it is missing, ends sessions of logins that are gone, and resolves with what is there. */
  tend(nothing: null): Promise<Served>;
  /**
   * Replaces the logins of an account, and ends sessions that the new ones would not open. Resolves with the names of those that
   * are left out, because their folders are no plain folders of the account.
   */
  put(request: { readonly account: Identified; readonly logins: readonly LoginEntry[] }): Promise<readonly string[]>;
  /** Removes the logins of an account and ends their sessions. Resolves with the number of logins. */
  remove(accountId: number): Promise<number>;
  /** Resolves with the sessions of an account, a second old at most. */
  sessions(accountId: number): Promise<readonly SftpSession[]>;
  /** Ends a session, and resolves with whether the account has it. */
  end(request: { readonly accountId: number; readonly id: string }): Promise<boolean>;
}
