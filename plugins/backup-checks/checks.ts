import { randomUUID } from 'node:crypto';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { AccountBackups, KeptBackups } from '../../kernel/areas/backups/account-backups.ts';
import { freeRoom } from '../../kernel/areas/files/free-room.ts';
import { runInRepository } from '../../kernel/areas/backups/repository-run.ts';
import { errorMessage, HttpError } from '../../kernel/errors.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { JobPool } from '../../kernel/kit/jobs/job-pool.ts';
import { defineJob } from '../../kernel/kit/jobs/job.ts';
import { ServiceRestic } from '../../kernel/kit/restic/service-restic.ts';
import type sample from './sample-job.ts';
import type { CheckedBackups } from './sample-job.ts';
import type { BackupChecksConfig } from './schema.ts';
import { keepOutcome } from './store.ts';

/** No outcome: others are at the backups, the account was removed meanwhile, or its files do not answer. */
const UNCHECKED: ReadonlySet<string> = new Set([
  ...['backups_busy', 'account_not_found', 'files_unavailable', 'overloaded'],
]);

const MIB = 2 ** 20;
/** For all of a repository, whose folders are all read. */
const CHECK_MS = 6 * 3_600_000;
const IDLE_MS = 5000;
const SAMPLE = defineJob<typeof sample>({
  ...{ beside: import.meta.url, script: 'sample-job', timeoutMs: CHECK_MS, tooMuch: 'overloaded' },
});

/** Checks the backups of accounts, keeps what came of it, and tells it. */
export class Checks {
  readonly #host: Host<BackupChecksConfig>;
  readonly #backups: AccountBackups;
  readonly #restic: ServiceRestic;
  readonly #pool: JobPool;
  readonly #abort = new AbortController();

  constructor(host: Host<BackupChecksConfig>, backups: AccountBackups) {
    const { program, memoryMib } = backups.restic;
    this.#host = host;
    this.#backups = backups;
    this.#restic = new ServiceRestic(program, memoryMib);
    const limits = { memoryMib, fileMib: host.config.restored_mib };
    this.#pool = host.jobs.open({ name: 'backup-checks', processes: 1, idleMs: IDLE_MS, limits });
  }

  close(): Promise<void> {
    this.#abort.abort(new Error('the server is stopping'));
    return this.#pool.close();
  }

  /** Errors: 409 `backups_busy`, 404 `account_not_found`. */
  async check(account: Account): Promise<void> {
    const { local, log } = this.#host;
    let [checked, problem]: [CheckedBackups | undefined, string | null] = [undefined, null];
    try {
      checked = await this.#backups.withRepository(account, this.#abort.signal, (kept) => this.#read(account, kept));
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

  /**
   * Reads how all backups are made up and a sample of what they hold, others each time, and restores files of the newest one to compare
   * them. Errors: 503 `files_unavailable`, `overloaded` while the account's files do not answer; any other is one of the backups.
   */
  async #read(account: Account, { folder, key, backups }: KeptBackups): Promise<CheckedBackups> {
    const { sample_mib: readMib, restored_files: files, restored_mib: restoredMib } = this.#host.config;
    const args = ['check', `--read-data-subset=${readMib}M`];
    await this.#restic.run({ folder, key }, args, CHECK_MS, this.#abort.signal);
    const newest = backups.find((each) => each.files > 0);
    if (newest === undefined) return { restored: 0, compared: 0 };
    const { bytes: free = Infinity } = await freeRoom(this.#host, account);
    const run = { id: randomUUID(), signal: this.#abort.signal };
    const within = { account, repository: { folder, key }, program: this.#backups.restic.program, run };
    const bytes = Math.max(0, Math.min(restoredMib * MIB, free));
    return runInRepository(this.#host, this.#pool, SAMPLE, within, { snapshot: newest.id, files, bytes });
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
