import type { ExtensionPoints } from '../../kernel/contract/extension-points.ts';
import { LimitNotices } from '../../kernel/areas/limit-notices.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import { counted, type AccountsUsage } from '../../kernel/contract/points/account-report.ts';
import { eventWakers } from '../../kernel/contract/workers.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { startReconciling } from '../../kernel/kit/waiting/reconciling.ts';
import type { Store } from '../../kernel/store/store.ts';
import type { Traffic } from './schema.ts';
import { trafficSince, type Sent } from './store.ts';

const DAY = 'YYYY-MM-DD'.length;
const DAY_MS = 86_400_000;
const MIB = 2 ** 20;
/** The resource in MiB. */
const TRAFFIC = 'traffic_mib';
/** How soon an account that comes near its limit is told. */
const LOOK_MS = 60_000;
const CHANGES = new Set(['account.changed', 'plan.changed']);
const NOTHING: Sent = { requests: 0, bytes: 0 };

const dayOf = (time: Date) => time.toISOString().slice(0, DAY);
/** Returns the first day of this month, in UTC. */
export const firstOfMonth = (now = new Date()) => `${dayOf(now).slice(0, -2)}01`;
const limitMib = ({ plan }: Account) => plan?.limits['traffic_limit_mib'] ?? 0;

/** Counts what the sites of accounts send, from what the logs of the web server say. */
export class TrafficCounts {
  readonly #local: Store;

  constructor(local: Store) {
    this.#local = local;
  }

  /** Returns the requests and bytes of an account in this month. */
  async month(account: Account): Promise<Omit<Traffic, 'counted'>> {
    const since = firstOfMonth();
    const sent = (await trafficSince(this.#local, [account.id], since)).get(account.id) ?? NOTHING;
    return { since, ...sent, limit_mib: limitMib(account) };
  }

  /** Reports what accounts sent in this month, and on average today. */
  get report(): Pick<ExtensionPoints, 'accountReport' | 'accountsUsage'> {
    return {
      accountsUsage: (accounts) => this.#usage(accounts),
      accountReport: async (account) => ({ usage: (await this.#usage([account])).get(account.id) ?? [] }),
    };
  }

  /** Tells accounts that come near the traffic of their plan, from now on. */
  startNotices(host: Host): void {
    const notices = new LimitNotices(host, {
      usage: (accounts) => this.#used(accounts),
      table: 'logs_notices',
      levels: [100, 80],
      events: {
        [TRAFFIC]: { event: (data) => ({ type: 'logs.traffic_nearly_used', data }), of: 'traffic in this month' },
      },
    });
    const wakers = eventWakers(host, CHANGES);
    startReconciling({ ...host, wakers, everyMs: LOOK_MS, subject: 'notices of traffic' }, () => notices.look());
  }

  /** Rounds down, so that nobody is told of a limit that is not reached. */
  async #used(accounts: readonly Account[]): Promise<AccountsUsage> {
    const ids = accounts.map(({ id }) => id);
    const ofMonth = await trafficSince(this.#local, ids, firstOfMonth());
    return new Map(
      accounts.map((account) => {
        const used = Math.floor((ofMonth.get(account.id) ?? NOTHING).bytes / MIB);
        return [account.id, [counted(TRAFFIC, used, limitMib(account))]];
      }),
    );
  }

  async #usage(accounts: readonly Account[]): Promise<AccountsUsage> {
    const now = new Date();
    const ids = accounts.map(({ id }) => id);
    const ofMonth = await trafficSince(this.#local, ids, firstOfMonth(now));
    const ofDay = await trafficSince(this.#local, ids, dayOf(now));
    const seconds = Math.max(1, (now.getTime() % DAY_MS) / 1000);
    return new Map(
      accounts.map((account) => {
        const mib = Math.ceil((ofMonth.get(account.id) ?? NOTHING).bytes / MIB);
        const rate = Number((((ofDay.get(account.id) ?? NOTHING).bytes * 8) / seconds / 1e6).toFixed(3));
        return [
          account.id,
          [
            counted(TRAFFIC, mib, limitMib(account)),
            { resource: 'bandwidth', used: rate, limit: account.plan?.limits['bandwidth'] ?? 0, isOver: false },
          ],
        ];
      }),
    );
  }
}
