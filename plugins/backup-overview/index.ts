import { definePlugin } from '../../kernel/contract/plugin.ts';
import { gauge } from '../../kernel/contract/points/metric.ts';
import type { AccountBackups, BackupChecks } from '../../kernel/areas/backups/account-backups.ts';
import { fail } from '../../kernel/errors.ts';
import { byNeed, isTroubled, overviewRow } from './overview.ts';
import { AccountsBackups, AccountsQuery, type AccountBackup } from './schema.ts';

export default definePlugin({
  name: 'backup-overview',
  description: 'Shows operators how the backups of all accounts of a node do.',
  features: [],
  uses: ['backups', 'backup-checks'],
  routes: {
    list: {
      method: 'GET',
      address: 'admin',
      access: 'admin',
      path: '/api/account-backups',
      at: 'node',
      summary: 'List how the backups of the accounts of a node do',
      description:
        'Of those that have the feature backups: the schedule, the newest, the last try, the room and the last check.',
      query: AccountsQuery,
      reply: AccountsBackups,
      errors: ['feature_unavailable'],
    },
  },
  setup({ identity, peer }) {
    const rows = async (part: string): Promise<AccountBackup[]> => {
      const backups = peer<AccountBackups>('backups');
      if (backups === undefined) throw fail.feature_unavailable('the plugin backups is off or unavailable');
      const [standing, outcomes] = await Promise.all([
        backups.standings(),
        peer<BackupChecks>('backup-checks')?.outcomes(),
      ]);
      const found: AccountBackup[] = [];
      for await (const page of identity.accounts.pagesOfHere())
        for (const account of page)
          if (account.features.has('backups') && account.username.includes(part))
            found.push(overviewRow(account, standing(account), outcomes?.get(account.id), Date.now()));
      return found.toSorted(byNeed);
    };
    return {
      handlers: {
        list: async ({ query: { q, limit, cursor } }) => {
          const [all, offset] = [await rows(q), Number(cursor)];
          return {
            accounts: all.slice(offset, offset + limit),
            total: all.length,
            troubled: all.filter(isTroubled).length,
            next_cursor: offset + limit < all.length ? String(offset + limit) : null,
          };
        },
      },
      provides: {
        metrics: async () => {
          const newest = [...((await peer<AccountBackups>('backups')?.newest()) ?? new Map<number, number>()).values()];
          const age = (name: string, text: string, at: number) =>
            gauge(`hostkeep_backups_${name}_age_seconds`, text, Math.max(0, (Date.now() - at) / 1000));
          if (newest.length === 0) return [];
          return [
            age('newest', 'Age of the newest backup of this node', Math.max(...newest)),
            age('oldest', 'Age of the newest backup of the account that waits longest', Math.min(...newest)),
          ];
        },
      },
    };
  },
});
