import type { Accounts } from '../../../kernel/identity/accounts.ts';
import type { Log } from '../../../kernel/log.ts';
import type { DomainsService } from '../../domains/service.ts';
import type { Sites } from '../sites.ts';

interface SweepParts {
  readonly sites: Sites;
  readonly domains: DomainsService;
  readonly accounts: Accounts;
  readonly log: Log;
  readonly everyMs: number;
}

/** A crowd of changes is not answered with a crowd of walks, which would slow the changes. */
const SOON_MS = 2000;

/** Looks at the sites of accounts that nobody asked for, one after the other, so that the totals of the server are right. */
export class Sweep {
  readonly #parts: SweepParts;
  readonly #queue = new Set<number>();
  readonly #timer: NodeJS.Timeout;
  #working: Promise<void> | undefined;
  #soon: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(parts: SweepParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#start(() => this.#visitAll()), parts.everyMs).unref();
    this.#start(() => this.#visitAll());
  }

  /** Soon, and once for many changes; who asks for the sites meanwhile has them looked at then. */
  visit(accountId: number): void {
    this.#queue.add(accountId);
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.#start(async () => undefined);
    }, SOON_MS).unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    clearTimeout(this.#soon);
    await this.#working;
  }

  #start(first: () => Promise<void>): void {
    const { log } = this.#parts;
    this.#working ??= first()
      .then(() => this.#drain())
      .catch((error: unknown) => log.warn({ err: error }, 'websites could not be swept'))
      .finally(() => {
        this.#working = undefined;
        if (this.#queue.size > 0 && !this.#isClosed) this.#start(async () => undefined);
      });
  }

  async #visitAll(): Promise<void> {
    for await (const { accountId } of this.#parts.domains.all())
      if (this.#queue.add(accountId) && this.#isClosed) return;
  }

  async #drain(): Promise<void> {
    const { accounts, sites, log } = this.#parts;
    for (const id of this.#queue) {
      this.#queue.delete(id);
      if (this.#isClosed) return;
      const account = await accounts.byId(id);
      if (account === undefined) continue;
      try {
        await sites.of(account);
      } catch (error) {
        log.warn({ account: account.username, err: error }, 'the websites of an account could not be looked at');
      }
    }
  }
}
