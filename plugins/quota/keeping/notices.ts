import type { Host } from '../../../kernel/contract/plugin.ts';
import type { AccountsUsage, ResourceUsage } from '../../../kernel/contract/points/account-report.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { keepNotice, readNotices } from '../store.ts';

/** Percent of a limit at which an account is told, the highest first. */
const LEVELS = [95, 80] as const;
/** So far below a level usage must fall before the account is told of it again. */
const REST_PERCENT = 5;
const EVENTS = {
  disk_kib: { type: 'quota.disk_nearly_full', of: 'disk space' },
  inodes: { type: 'quota.inodes_nearly_full', of: 'files and folders' },
} as const;

/** Records an event when an account comes near a limit of its storage, once for each level. */
export class Notices {
  readonly #host: Pick<Host, 'identity' | 'store' | 'local' | 'events'>;
  readonly #usageOf: (accounts: readonly Account[]) => Promise<AccountsUsage>;

  constructor(
    host: Pick<Host, 'identity' | 'store' | 'local' | 'events'>,
    usageOf: (accounts: readonly Account[]) => Promise<AccountsUsage>,
  ) {
    this.#host = host;
    this.#usageOf = usageOf;
  }

  /** Looks at all accounts of this node, as far as their usage is known. */
  async look(): Promise<void> {
    const notices = await readNotices(this.#host.local);
    const told = new Map(notices.map(({ accountId, resource, percent }) => [`${accountId} ${resource}`, percent]));
    for await (const accounts of this.#host.identity.accounts.pagesOfHere()) {
      const usage = await this.#usageOf(accounts);
      for (const account of accounts)
        for (const each of usage.get(account.id) ?? []) {
          const before = told.get(`${account.id} ${each.resource}`) ?? 0;
          const level = levelOf(each, before);
          if (level !== before) await this.#tell(account, each, level, level > before);
        }
    }
  }

  async #tell(account: Account, usage: ResourceUsage, level: number, isHigher: boolean): Promise<void> {
    const { store, local, events } = this.#host;
    const { resource, used, limit } = usage;
    if (isHigher && (resource === 'disk_kib' || resource === 'inodes')) {
      const { type, of } = EVENTS[resource];
      const text = `uses ${level} % of its ${of}`;
      const data = { percent: level, used, limit };
      await store.write((tx) => events.record(tx, { type, account, ip: '', text, data }));
    }
    await keepNotice(local, { accountId: account.id, resource, percent: level });
  }
}

/** Returns the level that is reached, or that is not left yet. */
function levelOf({ used, limit }: ResourceUsage, before: number): number {
  if (limit === 0) return 0;
  const percent = (used / limit) * 100;
  return LEVELS.find((level) => percent >= level || (level <= before && percent > level - REST_PERCENT)) ?? 0;
}
