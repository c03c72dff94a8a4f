import type { Host } from '../../kernel/contract/plugin.ts';
import { Recurring } from '../../kernel/kit/waiting/recurring.ts';
import type { Backups } from './backups.ts';
import { isDue } from './schedule.ts';
import type { BackupsConfig } from './schema.ts';
import { listSchedules, noteTry } from './store.ts';

/** Begins the backups of this node's accounts that are due, those that wait longest first. */
export class Scheduler {
  readonly #host: Host<BackupsConfig>;
  readonly #backups: Backups;
  #isClosed = false;

  constructor(host: Host<BackupsConfig>, backups: Backups) {
    this.#host = host;
    this.#backups = backups;
  }

  /** Looks at the schedules now and from now on. */
  start(): void {
    const { config, log, onClose } = this.#host;
    const looking = new Recurring({
      run: () => this.#look(),
      failed: (err) => log.error({ err }, 'the schedules of backups could not be looked at'),
      everyMs: config.check_seconds * 1000,
    });
    onClose(() => {
      this.#isClosed = true;
      return looking.close();
    });
    looking.wake();
  }

  async #look(): Promise<void> {
    const { store, identity, log } = this.#host;
    for (const { account: id, schedule } of await listSchedules(store)) {
      const now = Date.now();
      if (this.#isClosed) return;
      if (!isDue(schedule, id, now)) continue;
      const account = await identity.accounts.byId(id);
      if (account === undefined || !identity.accounts.isHere(account)) continue;
      if (account.suspended || account.isReadOnly) continue;
      if (!account.features.has('backups')) continue;
      if (!(await store.write((tx) => noteTry(tx, id, schedule.tried_at, now)))) continue;
      await this.#backups
        .make(account)
        .catch((err: unknown) => log.warn({ err, account: account.username }, 'a scheduled backup did not begin'));
    }
  }
}
