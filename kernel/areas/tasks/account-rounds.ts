import type { Account } from '../../identity/accounts/account.ts';
import { Recurring } from '../../kit/waiting/recurring.ts';
import type { Host } from '../../contract/plugin.ts';

interface RoundsOptions {
  /** The feature whose accounts are worked on. */
  readonly feature: string;
  /** A table in the plugin's local migrations: `account_id integer primary key, done_at integer not null`. */
  readonly table: string;
  /** Days from one time to the next; 0 for never. */
  readonly everyDays: number;
  /** Resolves with accounts that are due all the same, by their ids. */
  readonly dueEarly?: () => Promise<ReadonlySet<number>>;
  /** How often it is looked for accounts that are due. */
  readonly checkSeconds: number;
  /** Is called when an account is due. Rejects while nothing can be done for anybody. */
  readonly ready: () => Promise<unknown>;
  /** Works on one account. If it rejects, or the server stops meanwhile, it is done again. */
  readonly run: (account: Account) => Promise<unknown>;
}

const DAY_MS = 24 * 3_600_000;

/**
 * Work for each account of this node that has a feature, once in so many days: one account after another. The one process starts
 * it that does what the node does once.
 */
export class AccountRounds {
  readonly #host: Pick<Host, 'identity' | 'local' | 'log'>;
  readonly #options: RoundsOptions;
  readonly #looking: Recurring;
  #isClosed = false;

  constructor(host: Pick<Host, 'identity' | 'local' | 'log'>, options: RoundsOptions) {
    this.#host = host;
    this.#options = options;
    this.#looking = new Recurring({
      run: () => this.#look(),
      failed: (err) => host.log.error({ err }, 'no account had its turn by the clock'),
      everyMs: options.checkSeconds * 1000,
    });
  }

  start(): void {
    if (this.#options.everyDays > 0) this.#looking.wake();
  }

  /** Begins nothing more. Resolves once what runs has ended. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#looking.close();
  }

  async #look(): Promise<void> {
    const { local, identity, log } = this.#host;
    const { dueEarly, feature, ready, table, everyDays } = this.#options;
    const rows = await local.all<{ account_id: number; done_at: number }>(`select account_id, done_at from ${table}`);
    const done = new Map(rows.map(({ account_id: id, done_at: at }) => [id, at]));
    const early = await dueEarly?.();
    let isReady = false;
    for await (const page of identity.accounts.pagesOfHere())
      for (const { id, username } of page) {
        const isDue = early?.has(id) === true || Date.now() - (done.get(id) ?? 0) >= everyDays * DAY_MS;
        if (!isDue || this.#isClosed) continue;
        const account = await identity.accounts.byId(id); // as it is when its turn comes
        if (!identity.accounts.isOpenHere(account) || !account.features.has(feature)) continue;
        if (!isReady) await ready();
        isReady = true;
        await this.#run(account).catch((err: unknown) =>
          log.warn({ err, account: username }, 'its turn by the clock failed'),
        );
      }
  }

  async #run(account: Account): Promise<void> {
    const { local, identity } = this.#host;
    const { table, run } = this.#options;
    await run(account);
    if (this.#isClosed) return;
    await local.write(async (tx) => {
      await identity.accounts.assertLivesHere(account);
      await tx.run(
        `insert into ${table} (account_id, done_at) values (?, ?)
          on conflict (account_id) do update set done_at = excluded.done_at`,
        ...[account.id, Date.now()],
      );
    });
  }
}
