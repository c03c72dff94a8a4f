import { Recurring } from '../../../kernel/kit/waiting/recurring.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { Accounts } from '../../../kernel/identity/accounts/accounts.ts';
import type { Log } from '../../../kernel/log.ts';

interface SweepOptions {
  readonly accounts: Accounts;
  /** The owners of all domains. */
  readonly owners: () => AsyncIterable<{ readonly accountId: number }>;
  /** Checks the sites of an account. */
  readonly check: (account: Account) => unknown;
  readonly log: Log;
  readonly everyMs: number;
}

/** How long changes are collected: checking at each of many would slow them down. */
const DELAY_MS = 2000;

/** Checks the sites of all accounts in the background, one after the other, so that the server's totals are right. */
export class Sweep {
  readonly #options: SweepOptions;
  readonly #queue = new Set<number>();
  readonly #timer: NodeJS.Timeout;
  readonly #work = new Recurring({
    run: () => this.#drain(),
    failed: (err) => this.#options.log.warn({ err }, 'the sweep of all websites failed'),
    everyMs: 0,
  });
  #isAllDue = false;
  #delay: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: SweepOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#wakeForAll(), options.everyMs).unref();
    this.#wakeForAll();
  }

  /** Checks an account soon, and once for several calls. */
  schedule(accountId: number): void {
    this.#queue.add(accountId);
    this.#delay ??= setTimeout(() => {
      this.#delay = undefined;
      this.#work.wake();
    }, DELAY_MS).unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    clearTimeout(this.#delay);
    await this.#work.close();
  }

  #wakeForAll(): void {
    this.#isAllDue = true;
    this.#work.wake();
  }

  /** Changes of domains are heard from other nodes, too. */
  #isHere(account: Account | undefined): account is Account {
    return account !== undefined && this.#options.accounts.isHere(account);
  }

  async #drain(): Promise<void> {
    const { accounts, check, log, owners } = this.#options;
    if (this.#isAllDue)
      for await (const { accountId } of owners()) {
        if (this.#isClosed) return;
        this.#queue.add(accountId);
      }
    this.#isAllDue = false;
    for (const id of this.#queue) {
      this.#queue.delete(id);
      if (this.#isClosed) return;
      const account = await accounts.byId(id);
      if (!this.#isHere(account)) continue;
      try {
        await check(account);
      } catch (error) {
        if (!this.#isHere(await accounts.byId(id))) continue; // removed or moved during the check, and its files with it
        log.warn({ account: account.username, err: error }, 'the websites of an account could not be checked');
      }
    }
  }
}
