import type { AccountsUsage } from '../../kernel/contract/points/account-report.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { ExtensionPoints } from '../../kernel/contract/extension-points.ts';
import type { Store } from '../../kernel/store/store.ts';
import { trafficSince } from './store.ts';

const DAY = 'YYYY-MM-DD'.length;
const DAY_MS = 86_400_000;

/** Reports what the sites of accounts sent: in this month, and on average today. */
export function trafficReport(local: Store): Pick<ExtensionPoints, 'accountReport' | 'accountsUsage'> {
  const usage = async (accounts: readonly Account[]): Promise<AccountsUsage> => {
    const now = new Date();
    const today = now.toISOString().slice(0, DAY);
    const ids = accounts.map(({ id }) => id);
    const ofMonth = await trafficSince(local, ids, `${today.slice(0, -2)}01`);
    const ofDay = await trafficSince(local, ids, today);
    const seconds = Math.max(1, (now.getTime() % DAY_MS) / 1000);
    return new Map(
      accounts.map(({ id, plan }) => {
        const mib = Math.ceil((ofMonth.get(id) ?? 0) / 2 ** 20);
        const limit = plan?.limits['traffic_limit_mib'] ?? 0;
        const rate = Number((((ofDay.get(id) ?? 0) * 8) / seconds / 1e6).toFixed(3));
        return [
          id,
          [
            { resource: 'traffic_mib', used: mib, limit, isOver: limit > 0 && mib > limit },
            { resource: 'bandwidth', used: rate, limit: plan?.limits['bandwidth'] ?? 0, isOver: false },
          ],
        ];
      }),
    );
  };
  return {
    accountsUsage: usage,
    accountReport: async (account) => ({ usage: (await usage([account])).get(account.id) ?? [] }),
  };
}
