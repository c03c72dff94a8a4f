import { LimitNotices, type NoticeData } from '../../kernel/areas/limit-notices.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import { counted, type AccountsUsage, type ResourceUsage } from '../../kernel/contract/points/account-report.ts';
import type { LimitedDatabases } from '../../kernel/areas/database-servers.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { AttemptPart } from '../../kernel/kit/waiting/reconciling.ts';

const MIB = 2 ** 20;

/** The kinds of databases that have a limit, each with the plugin that manages them. */
export const KINDS = [
  {
    ...{ plugin: 'mysql', limit: 'mysql_limit_mib', resource: 'mysql_mib' },
    event: (data: NoticeData) => ({ type: 'databases.nearly_full', data }) as const,
    of: 'space for databases',
  },
  {
    ...{ plugin: 'postgresql', limit: 'postgresql_limit_mib', resource: 'postgresql_mib' },
    event: (data: NoticeData) => ({ type: 'postgresql.nearly_full', data }) as const,
    of: 'space for PostgreSQL databases',
  },
] as const;

type Kind = (typeof KINDS)[number] & { readonly databases: LimitedDatabases };

interface Parts extends Pick<Host, 'store' | 'identity' | 'events' | 'local'> {
  readonly kinds: readonly Kind[];
}

/** The limit of an account, in MiB; 0 = unlimited. */
const limitMib = ({ plan }: Account, { limit }: Kind): number => plan?.limits[limit] ?? 0;

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
      events: Object.fromEntries(parts.kinds.map(({ resource, event, of }) => [resource, { event, of }])),
    });
  }

  /** Brings accounts of this node up to date: those that are stopped, or all that have a limit. */
  async reconcile(attempt: AttemptPart, isOfAll: boolean): Promise<void> {
    for (const kind of this.#parts.kinds)
      await attempt(`sizes of databases of ${kind.plugin}`, () => this.#reconcile(kind, attempt, isOfAll));
    if (isOfAll) await attempt('notices of the size of databases', () => this.#notices.look());
  }

  async #reconcile(kind: Kind, attempt: AttemptPart, isOfAll: boolean): Promise<void> {
    const { accounts } = this.#parts.identity;
    const stopped = new Set(await kind.databases.stopped());
    const look = (account: Account) =>
      attempt(`the size of databases of ${account.username}`, () => this.#look(kind, account, stopped, isOfAll));
    if (isOfAll) {
      for await (const page of accounts.pagesOfHere())
        for (const account of page.filter((each) => limitMib(each, kind) > 0 || stopped.has(each.id)))
          await look(account);
    } else
      for (const id of stopped) {
        const account = await accounts.byId(id);
        if (account !== undefined) await look(account);
      }
  }

  /** Resolves with what is used of the limits that there are; of a server that does not answer, nothing is known. */
  async usage(accounts: readonly Account[]): Promise<AccountsUsage> {
    const found = new Map<number, ResourceUsage[]>(accounts.map(({ id }) => [id, []]));
    const measure = async (account: Account, kind: Kind) => {
      const limit = limitMib(account, kind);
      if (limit === 0 || !this.#isConcerned(account, kind)) return;
      // rounded down, so that nobody is told of a limit that is not reached
      const mib = Math.floor((await kind.databases.sizeBytes(account)) / MIB);
      found.get(account.id)?.push(counted(kind.resource, mib, limit));
    };
    for (const kind of this.#parts.kinds) await Promise.allSettled(accounts.map((account) => measure(account, kind)));
    return found;
  }

  /** One that is about to leave is its new home's. */
  #isConcerned(account: Account, { databases }: Kind): boolean {
    const { accounts } = this.#parts.identity;
    return accounts.isHere(account) && !account.isReadOnly && databases.isManaged(account);
  }

  /** Where the size is not known, all stays as it is. */
  async #look(kind: Kind, account: Account, stopped: ReadonlySet<number>, isThorough: boolean): Promise<void> {
    if (!this.#isConcerned(account, kind)) return;
    const { databases } = kind;
    const limit = limitMib(account, kind);
    const bytes = limit === 0 ? 0 : await databases.sizeBytes(account);
    const isFull = limit > 0 && bytes >= limit * MIB;
    if (isFull) await databases.stopWriting(account, { limitMib: limit, bytes }, isThorough);
    else if (stopped.has(account.id)) await databases.resumeWriting(account, limit);
  }
}
