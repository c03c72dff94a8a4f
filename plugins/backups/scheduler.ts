import type { Host } from '../../kernel/contract/plugin.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { Recurring } from '../../kernel/kit/waiting/recurring.ts';
import type { Tx } from '../../kernel/store/store.ts';
import type { Backups } from './backups.ts';
import { decided, isDue, unchosen, type Schedule } from './schedule.ts';
import type { BackupsConfig } from './schema.ts';
import { newestBackups, noteTry, readSchedule, readSchedules, writeSchedule } from './store.ts';

interface Due {
  readonly id: number;
  readonly schedule: Schedule;
  /** Whether the account was told that one failed since the schedule was due. */
  readonly isTold: boolean;
}

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
    const due = await this.#due();
    if (due.length > 0) await this.#backups.repositories.version();
    for (const { id, schedule, isTold } of due) {
      if (this.#isClosed) return;
      const account = await identity.accounts.byId(id); // as it is when its turn comes
      if (!this.#isOpen(account)) continue;
      const [before, now] = [schedule.tried_at, Date.now()];
      if (!(await store.write((tx) => noteTry(tx, id, before, now)))) continue;
      await this.#backups.make(account, undefined, isTold).catch(async (err: unknown) => {
        log.warn({ err, account: account.username }, 'a scheduled backup did not begin');
        await store.write((tx) => noteTry(tx, id, now, before)); // it is still due
      });
    }
  }

  /** An account that is met first waits for its time to come: what was due before is not made up for. */
  async #due(): Promise<Due[]> {
    const { store, local, identity, config } = this.#host;
    const [known, newest] = await Promise.all([readSchedules(store), newestBackups(local)]);
    const due: Due[] = [];
    for await (const page of identity.accounts.pagesOfHere()) {
      const fresh: Account[] = [];
      for (const account of page.filter((each) => this.#isOpen(each))) {
        const { id, plan } = account;
        const schedule = known.get(id);
        const when = decided(schedule ?? unchosen(id), config, plan);
        if (schedule === undefined && when.schedule !== 'off') fresh.push(account);
        if (schedule === undefined) continue;
        const retry = await this.#backups.retry(account, when, newest.get(id));
        if (isDue(when, id, Date.now()) || (retry !== undefined && retry.at <= Date.now()))
          due.push({ id, schedule, isTold: retry?.isTold === true });
      }
      if (fresh.length > 0) await store.write((tx) => this.#meet(tx, fresh));
    }
    return due.toSorted((a, b) => a.schedule.tried_at - b.schedule.tried_at);
  }

  async #meet(tx: Tx, accounts: readonly Account[]): Promise<void> {
    for (const account of accounts) {
      await this.#host.identity.accounts.assertExists(tx, account);
      const before = await readSchedule(tx, account.id);
      if (before.tried_at === 0) await writeSchedule(tx, account.id, { ...before, tried_at: Date.now() });
    }
  }

  #isOpen(account: Account | undefined): account is Account {
    return this.#host.identity.accounts.isOpenHere(account) && account.features.has('backups');
  }
}
