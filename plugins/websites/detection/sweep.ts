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
  #running: Promise<void> | undefined;
  #delay: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: SweepOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#start(() => this.#enqueueAll()), options.everyMs).unref();
    this.#start(() => this.#enqueueAll());
  }

  /** Checks an account soon, and once for several calls. */
  schedule(accountId: number): void {
    this.#queue.add(accountId);
    this.#delay ??= setTimeout(() => {
      this.#delay = undefined;
      this.#start();
    }, DELAY_MS).unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    clearTimeout(this.#delay);
    await this.#running;
  }

  #start(prepare = async (): Promise<void> => undefined): void {
    const { log } = this.#options;
    this.#running ??= prepare()
      .then(() => this.#drain())
      .catch((error: unknown) => log.warn({ err: error }, 'the sweep of all websites failed'))
      .finally(() => {
        this.#running = undefined;
        if (this.#queue.size > 0 && !this.#isClosed) this.#start();
      });
  }

  async #enqueueAll(): Promise<void> {
    for await (const { accountId } of this.#options.owners()) {
      if (this.#isClosed) return;
      this.#queue.add(accountId);
    }
  }

  /** Changes of domains are heard from other nodes, too. */
  #isHere(account: Account | undefined): account is Account {
    return account !== undefined && this.#options.accounts.isHere(account);
  }

  async #drain(): Promise<void> {
    const { accounts, check, log } = this.#options;
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
