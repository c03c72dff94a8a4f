import type { Account } from '../identity/accounts/account.ts';
import { Type, type Static } from '../schema.ts';
import type { Occurrence } from '../store/events/event-types.ts';
import type { Host } from '../contract/plugin.ts';
import type { AccountsUsage, ResourceUsage } from '../contract/points/account-report.ts';

/** So far below a level usage must fall before the account is told of it again. */
const REST_PERCENT = 5;

/** Returns the schema of the data of such an event; `unit` is that of the resource. */
export const noticeData = (unit: string) =>
  Type.Object({
    percent: Type.Integer({ description: 'The level that is reached' }),
    used: Type.Integer({ description: unit }),
    limit: Type.Integer({ description: unit }),
  });
export type NoticeData = Static<ReturnType<typeof noticeData>>;

interface NoticeOptions {
  /** In the local store: `account_id` and `resource`, which are the primary key, and `percent`. */
  readonly table: string;
  /** Percent of a limit at which an account is told, the highest first. */
  readonly levels: readonly number[];
  /** The event of each resource with that data, and the resource's name for people. */
  readonly events: Readonly<Record<string, { readonly event: (data: NoticeData) => Occurrence; readonly of: string }>>;
  /** Returns the usage of accounts, as far as it is known. */
  readonly usage: (accounts: readonly Account[]) => Promise<AccountsUsage>;
}

/** Records an event when an account comes near a limit of its plan, once for each level. */
export class LimitNotices {
  readonly #host: Pick<Host, 'identity' | 'store' | 'local' | 'events'>;
  readonly #options: NoticeOptions;

  constructor(host: Pick<Host, 'identity' | 'store' | 'local' | 'events'>, options: NoticeOptions) {
    this.#host = host;
    this.#options = options;
  }

  /** Looks at all accounts of this node. */
  async look(): Promise<void> {
    const { table, usage } = this.#options;
    const rows = await this.#host.local.all<{ account_id: number; resource: string; percent: number }>(
      `select account_id, resource, percent from ${table}`,
    );
    const told = new Map(rows.map(({ account_id: id, resource, percent }) => [`${id} ${resource}`, percent]));
    for await (const accounts of this.#host.identity.accounts.pagesOfHere()) {
      const known = await usage(accounts);
      for (const account of accounts)
        for (const each of known.get(account.id) ?? []) {
          const before = told.get(`${account.id} ${each.resource}`) ?? 0;
          const level = this.#level(each, before);
          if (level !== before) await this.#tell(account, each, level, level > before);
        }
    }
  }

  async #tell(account: Account, { resource, used, limit }: ResourceUsage, level: number, isHigher: boolean) {
    const { store, local, events } = this.#host;
    const told = this.#options.events[resource];
    if (told === undefined) return;
    const event = told.event({ percent: level, used, limit });
    const text = `uses ${level} % of its ${told.of}`;
    if (isHigher) await store.write((tx) => events.record(tx, { ...event, account, ip: '', text }));
    const sql = `insert into ${this.#options.table} (account_id, resource, percent) values (?, ?, ?)
      on conflict (account_id, resource) do update set percent = excluded.percent`;
    await local.write((tx) => tx.run(sql, account.id, resource, level));
  }

  /** Returns the level that is reached, or that is not left yet. */
  #level({ used, limit }: ResourceUsage, before: number): number {
    if (limit === 0) return 0;
    const percent = (used / limit) * 100;
    const isAt = (level: number) => percent >= level || (level <= before && percent > level - REST_PERCENT);
    return this.#options.levels.find(isAt) ?? 0;
  }
}
