import type { Account } from '../../identity/accounts/account.ts';

/** The service of the plugin that makes backups, for one that proves that they can be read. */
export interface BackupChecker {
  /** Rejects with 503 while nothing can be checked on this node. */
  assertAvailable(): Promise<void>;
  /**
   * Reads how all backups of an account are made up, and so many MiB of what they hold, others each time. Resolves with whether there are any.
   * Errors: 409 `backups_busy` while other work has them; any other is one of the backups.
   */
  check(account: Account, sampleMib: number, signal: AbortSignal): Promise<boolean>;
}
