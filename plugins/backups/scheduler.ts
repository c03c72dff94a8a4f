import type { Host } from '../../kernel/contract/plugin.ts';
import type { Backups } from './backups.ts';
import { isDue } from './schedule.ts';
import type { BackupsConfig } from './schema.ts';
import { listSchedules, noteTry } from './store.ts';

/** Begins the backups of this node's accounts that are due, those that wait longest first. */
export class Scheduler {
  readonly #host: Host<BackupsConfig>;
  readonly #backups: Backups;
  #looking: Promise<void> | undefined;
  #isClosed = false;

  constructor(host: Host<BackupsConfig>, backups: Backups) {
    this.#host = host;
    this.#backups = backups;
  }

  /** Looks at the schedules now and from now on. */
  start(): void {
    const { config, onClose } = this.#host;
    const timer = setInterval(() => this.#wake(), config.check_seconds * 1000).unref();
    onClose(async () => {
      this.#isClosed = true;
      clearInterval(timer);
      await this.#looking;
    });
    this.#wake();
  }

  #wake(): void {
    this.#looking ??= this.#look()
      .catch((err: unknown) => this.#host.log.error({ err }, 'the schedules of backups could not be looked at'))
      .finally(() => (this.#looking = undefined));
  }

  async #look(): Promise<void> {
    const { store, identity, node, log } = this.#host;
    for (const { account: id, schedule } of await listSchedules(store)) {
      const now = Date.now();
      if (this.#isClosed) return;
      if (!isDue(schedule, id, now)) continue;
      const account = await identity.accounts.byId(id);
      const isHere = account?.home === '' || node.fleet === undefined || account?.home === node.fleet.name;
      if (account === undefined || !isHere || account.suspended || account.isReadOnly) continue;
      if (!account.features.has('backups')) continue;
      if (!(await store.write((tx) => noteTry(tx, id, schedule.triedAt, now)))) continue;
      await this.#backups
        .make(account, true)
        .catch((err: unknown) => log.warn({ err, account: account.username }, 'a scheduled backup did not begin'));
    }
  }
}
