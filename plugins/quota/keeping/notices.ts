import { LimitNotices } from '../../../kernel/areas/limit-notices.ts';
import type { Host } from '../../../kernel/contract/plugin.ts';
import type { AccountsUsage } from '../../../kernel/contract/points/account-report.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';

/** Returns what tells accounts that come near a limit of their storage, as far as `usage` knows what they use. */
export const storageNotices = (
  host: Pick<Host, 'identity' | 'store' | 'local' | 'events'>,
  usage: (accounts: readonly Account[]) => Promise<AccountsUsage>,
): LimitNotices =>
  new LimitNotices(host, {
    usage,
    table: 'quota_notices',
    levels: [95, 80],
    events: {
      disk_kib: { event: (data) => ({ type: 'quota.disk_nearly_full', data }), of: 'disk space' },
      inodes: { event: (data) => ({ type: 'quota.inodes_nearly_full', data }), of: 'files and folders' },
    },
  });
