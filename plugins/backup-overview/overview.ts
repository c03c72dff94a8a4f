import type { BackupChecks, BackupStanding } from '../../kernel/areas/backups/account-backups.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { AccountBackup } from './schema.ts';

type Outcome = Awaited<ReturnType<BackupChecks['outcomes']>> extends ReadonlyMap<number, infer T> ? T : never;

const DAY_MS = 24 * 3_600_000;
const DAYS = { off: Infinity, daily: 1, weekly: 7 };
/** Backups wait for their turn, and take time: one that is this late is missing. */
const GRACE_MS = DAY_MS / 2;
/** The worst first. */
const STATES: readonly AccountBackup['state'][] = ['failed', 'unreadable', 'none', 'late', 'good', 'off'];

/** Returns how the backups of an account do, for operators. */
export function overviewRow(
  { username, createdAt }: Pick<Account, 'username' | 'createdAt'>,
  standing: BackupStanding,
  outcome: Outcome | undefined,
  now: number,
): AccountBackup {
  const { schedule, isByPlan, newestAt, kept, sizeBytes, limitBytes, last } = standing;
  const problem = last?.error == null ? null : (last.detail ?? last.error);
  const since = now - (newestAt ?? createdAt);
  const isLate = since > DAYS[schedule] * DAY_MS + GRACE_MS;
  return {
    username,
    state: stateFor({ schedule, isLate, isEmpty: kept === 0, hasFailed: hasFailed(standing), outcome }),
    ...{ schedule, is_by_plan: isByPlan, newest_at: toTime(newestAt), kept },
    ...{ size_bytes: sizeBytes, limit_bytes: limitBytes, tried_at: toTime(last?.endedAt), problem },
    ...{ checked_at: toTime(outcome?.checkedAt), check_problem: outcome?.problem ?? null },
  };
}

/** An account that has nothing to back up misses nothing. */
const hasFailed = ({ last }: BackupStanding): boolean =>
  last !== null && last.error !== null && last.error !== 'nothing_to_back_up';

interface Facts extends Pick<BackupStanding, 'schedule'> {
  readonly isLate: boolean;
  readonly isEmpty: boolean;
  readonly hasFailed: boolean;
  readonly outcome: Outcome | undefined;
}

function stateFor({ schedule, isLate, isEmpty, hasFailed: failed, outcome }: Facts): AccountBackup['state'] {
  if (failed) return 'failed';
  if (outcome !== undefined && outcome.problem !== null && !isEmpty) return 'unreadable';
  if (schedule === 'off') return 'off';
  if (!isLate) return 'good';
  return isEmpty ? 'none' : 'late';
}

/** Sorts the worst first, and among equals whose newest backup is the oldest. */
export const byNeed = (a: AccountBackup, b: AccountBackup): number =>
  STATES.indexOf(a.state) - STATES.indexOf(b.state) ||
  (a.newest_at ?? '').localeCompare(b.newest_at ?? '') ||
  (a.username < b.username ? -1 : 1);

export const isTroubled = ({ state }: AccountBackup): boolean => state !== 'good' && state !== 'off';

const toTime = (ms: number | null | undefined): string | null => (ms == null ? null : new Date(ms).toISOString());
