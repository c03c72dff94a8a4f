import { LimitNotices } from '../../kernel/contract/limits/limit-notices.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import { counted, type AccountsUsage, type ResourceUsage } from '../../kernel/contract/points/account-report.ts';
import type { DatabaseServers, LimitedDatabases } from '../../kernel/contract/points/database-servers.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { AttemptPart } from '../../kernel/kit/waiting/reconciling.ts';

const MIB = 2 ** 20;
const RESOURCE = 'mysql_mib';

interface Parts extends Pick<Host, 'store' | 'identity' | 'events' | 'local'> {
  readonly servers: Pick<DatabaseServers, 'sizeBytes'>;
  readonly databases: LimitedDatabases;
}

/** The limit of an account, in MiB; 0 = unlimited. */
const limitMib = ({ plan }: Account): number => plan?.limits['mysql_limit_mib'] ?? 0;

/** Keeps the databases of accounts within the size of their plan: whoever has reached it can only read and empty them until there is room. */
export class DatabaseLimits {
  readonly #parts: Parts;
  readonly #notices: LimitNotices;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#notices = new LimitNotices(parts, {
      usage: (accounts) => this.usage(accounts),
      table: 'database_limit_notices',
      levels: [95, 80],
      events: { [RESOURCE]: { event: (data) => ({ type: 'databases.nearly_full', data }), of: 'space for databases' } },
    });
  }

  /** Brings accounts of this node up to date: those that are stopped, or all that have a limit. */
  async reconcile(attempt: AttemptPart, isOfAll: boolean): Promise<void> {
    const { accounts } = this.#parts.identity;
    const stopped = new Set(await this.#parts.databases.stopped());
    const look = (account: Account) =>
      attempt(`the size of databases of ${account.username}`, () => this.#look(account, stopped, isOfAll));
    if (isOfAll) {
      for await (const page of accounts.pagesOfHere())
        for (const account of page.filter((each) => limitMib(each) > 0 || stopped.has(each.id))) await look(account);
      await attempt('notices of the size of databases', () => this.#notices.look());
    } else
      for (const id of stopped) {
        const account = await accounts.byId(id);
        if (account !== undefined) await look(account);
      }
  }

  /** Resolves with what is used of a limit, which is nothing without one; of a server that does not answer, nothing is known. */
  async usage(accounts: readonly Account[]): Promise<AccountsUsage> {
    const found = new Map<number, readonly ResourceUsage[]>();
    const measure = async (account: Account) => {
      if (limitMib(account) === 0 || !this.#isConcerned(account)) return void found.set(account.id, []);
      // rounded down, so that nobody is told of a limit that is not reached
      const mib = Math.floor((await this.#parts.servers.sizeBytes(account)) / MIB);
      found.set(account.id, [counted(RESOURCE, mib, limitMib(account))]);
    };
    await Promise.allSettled(accounts.map(measure));
    return found;
  }

  /** One that is about to leave is its new home's. */
  #isConcerned(account: Account): boolean {
    const { identity, databases } = this.#parts;
    return identity.accounts.isHere(account) && !account.isReadOnly && databases.isManaged(account);
  }

  /** Where the size is not known, all stays as it is. */
  async #look(account: Account, stopped: ReadonlySet<number>, isThorough: boolean): Promise<void> {
    if (!this.#isConcerned(account)) return;
    const { servers, databases } = this.#parts;
    const limit = limitMib(account);
    const isFull = limit > 0 && (await servers.sizeBytes(account)) >= limit * MIB;
    if (isFull) await databases.stopWriting(account, limit, isThorough);
    else if (stopped.has(account.id)) await databases.resumeWriting(account, limit);
  }
}
