import type { Host } from '../../../kernel/contract/plugin.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { Repository } from '../../../kernel/kit/restic/service-restic.ts';
import { tell } from '../events.ts';
import * as rows from '../store.ts';
import type { Repositories } from './repositories.ts';

/** Which backups are in the repository of an account, which each caller has for itself. */
export class Retention {
  readonly #host: Pick<Host, 'local' | 'store' | 'events'>;
  readonly #repositories: Repositories;

  constructor(host: Pick<Host, 'local' | 'store' | 'events'>, repositories: Repositories) {
    this.#host = host;
    this.#repositories = repositories;
  }

  /** Removes snapshots that are in no list, which were never complete, and tells which of the list are lost. */
  async reconcile(account: Account, repository: Repository): Promise<void> {
    const { local } = this.#host;
    const there = await this.#repositories.snapshots(repository);
    for (const backup of await rows.listKept(local, account.id)) {
      if (there.delete(backup.id) || !rows.hasFiles(backup)) {
        for (const { snapshot } of backup.databases) there.delete(snapshot ?? '');
        continue;
      }
      await local.write((tx) => rows.removeBackup(tx, account.id, backup.id));
      const data = { made_at: rows.madeAt(backup) };
      const text = `found that the backup of ${data.made_at} is lost`;
      await tell(this.#host, account, undefined, { type: 'backup.lost', text, data });
    }
    for (const id of there) await this.#repositories.forget(repository, id);
  }

  /** Removes the oldest backups beyond those that are kept; with `hasRest`, also what was added of no snapshot. */
  async retain(account: Account, repository: Repository, signal: AbortSignal, hasRest: boolean): Promise<void> {
    const { kept } = await rows.readSchedule(this.#host.store, account.id);
    const limits = [kept, account.plan?.limits['backups_limit'] ?? 0].filter((limit) => limit > 0);
    const over = (await rows.listBackups(this.#host.local, account.id)).slice(Math.min(...limits, Infinity));
    for (const backup of over) await this.forget(account, repository, backup, undefined);
    if (over.length > 0 || hasRest) await this.clean(account, repository, signal);
    else await this.measure(account, repository);
  }

  /** The row goes last: what a crash leaves of it is found as lost. `ip` is that of who removes it, if somebody does. */
  async forget(account: Account, repository: Repository | undefined, backup: rows.BackupRow, ip: string | undefined) {
    const dumps = (await rows.listDatabases(this.#host.local, backup.id)).map(({ snapshot }) => snapshot);
    for (const id of [...dumps, rows.hasFiles(backup) ? backup.id : null])
      if (repository !== undefined && id !== null) await this.#repositories.forget(repository, id);
    await this.#host.local.write((tx) => rows.removeBackup(tx, account.id, backup.id));
    const data = { made_at: rows.madeAt(backup) };
    await tell(this.#host, account, ip, {
      type: 'backup.removed',
      text: `removed the backup of ${data.made_at}`,
      data,
    });
  }

  /** Frees the room of what was removed. */
  async clean(account: Account, repository: Repository, signal: AbortSignal): Promise<void> {
    await this.#repositories.prune(repository, signal);
    await this.measure(account, repository);
  }

  /** Notes what a repository takes. */
  async measure({ id }: Account, repository: Repository): Promise<void> {
    const sizeBytes = await this.#repositories.sizeBytes(repository);
    await this.#host.local.write((tx) => rows.keepRepositoryBytes(tx, id, sizeBytes));
  }
}
