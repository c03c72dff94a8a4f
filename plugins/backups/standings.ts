import type { Host } from '../../kernel/contract/plugin.ts';
import type { BackupStanding } from '../../kernel/areas/backups/account-backups.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { decided, unchosen } from './schedule.ts';
import type { BackupsConfig } from './schema.ts';
import { readSchedules } from './store.ts';

interface Row {
  readonly account: number;
}
type Last = Row & { readonly ended_at: number; readonly error: string | null; readonly detail: string | null };

const KEPT = `select account_id as account, count(*) as kept, max(created_at) as newest from backups group by account_id`;
const SIZES = 'select account_id as account, size_bytes from backup_repositories';
/** The other columns are those of the row that ended last. */
const LAST = `select account_id as account, error, detail, max(ended_at) as ended_at from backup_tasks
  where kind = 'backup' and state <> 'canceled' and ended_at is not null group by account_id`;

/** Resolves with what tells of an account how its backups do. */
export async function readStandings({ local, store, config }: Pick<Host<BackupsConfig>, 'local' | 'store' | 'config'>) {
  const read = async <T extends Row>(sql: string) =>
    new Map((await local.all<T>(sql)).map((row) => [row.account, row] as const));
  const [kept, sizes, lasts, schedules] = await Promise.all([
    read<Row & { readonly kept: number; readonly newest: number }>(KEPT),
    read<Row & { readonly size_bytes: number }>(SIZES),
    read<Last>(LAST),
    readSchedules(store),
  ]);
  return ({ id, plan }: Account): BackupStanding => {
    const [chosen, last] = [schedules.get(id) ?? unchosen(id), lasts.get(id)];
    return {
      schedule: decided(chosen, config, plan).schedule,
      isByPlan: chosen.schedule === 'plan',
      newestAt: kept.get(id)?.newest ?? null,
      kept: kept.get(id)?.kept ?? 0,
      sizeBytes: sizes.get(id)?.size_bytes ?? 0,
      limitBytes: (plan?.limits['backups_limit_mib'] ?? 0) * 2 ** 20,
      last: last === undefined ? null : { endedAt: last.ended_at, error: last.error, detail: last.detail },
    };
  };
}
