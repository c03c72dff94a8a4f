import type { Host } from '../../kernel/contract/plugin.ts';
import type { AccountBackups, CheckedBackups } from '../../kernel/contract/tasks/account-backups.ts';
import { errorMessage, HttpError } from '../../kernel/errors.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { BackupChecksConfig } from './schema.ts';
import { keepOutcome } from './store.ts';

/** No outcome: others are at the backups, the account was removed meanwhile, or its files do not answer. */
const UNCHECKED: ReadonlySet<string> = new Set([
  ...['backups_busy', 'account_not_found', 'files_unavailable', 'overloaded'],
]);

/** Checks the backups of accounts, keeps what came of it, and tells it. */
export class Checks {
  readonly #host: Host<BackupChecksConfig>;
  readonly #backups: AccountBackups;
  readonly #abort = new AbortController();

  constructor(host: Host<BackupChecksConfig>, backups: AccountBackups) {
    this.#host = host;
    this.#backups = backups;
  }

  stop(): void {
    this.#abort.abort(new Error('the server is stopping'));
  }

  /** Errors: 409 `backups_busy`, 404 `account_not_found`. */
  async check(account: Account): Promise<void> {
    const { config, local, log } = this.#host;
    const { sample_mib: readMib, restored_files: restoredFiles, restored_mib: restoredMib } = config;
    let [checked, problem]: [CheckedBackups | undefined, string | null] = [undefined, null];
    try {
      checked = await this.#backups.check(account, { readMib, restoredFiles, restoredMib }, this.#abort.signal);
    } catch (error) {
      if (this.#abort.signal.aborted || (error instanceof HttpError && UNCHECKED.has(error.code))) throw error;
      log.error({ err: error, account: account.username }, 'a check of backups failed');
      problem = errorMessage(error);
    }
    const hasBackups = checked !== undefined || problem !== null;
    await local.write(async (tx) => {
      await this.#host.identity.accounts.assertLivesHere(account);
      await keepOutcome(tx, account.id, { checkedAt: hasBackups ? Date.now() : null, problem });
    });
    if (hasBackups) await this.#tell(account, problem, checked);
  }

  async #tell(account: Account, problem: string | null, checked?: CheckedBackups): Promise<void> {
    const { store, events, config } = this.#host;
    const told = { account, ip: '', isNoticed: true };
    await store.write(async (tx) => {
      if (problem === null) {
        const { restored = 0, compared = 0 } = checked ?? {};
        const data = { sample_mib: config.sample_mib, restored_files: restored, compared_files: compared };
        return events.record(tx, {
          ...told,
          type: 'backup.checked',
          text: `checked the backups, and restored ${restored} files for it`,
          data,
        });
      }
      const text = `could not read the backups: ${problem}`;
      return events.record(tx, { ...told, type: 'backup.check_failed', text, data: { reason: problem } });
    });
  }
}
