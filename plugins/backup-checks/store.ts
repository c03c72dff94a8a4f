import type { Reader, Tx } from '../../kernel/store/store.ts';

interface Outcome {
  /** Milliseconds since 1970; `null` for an account without backups. */
  readonly checkedAt: number | null;
  /** Why the backups could not be read. */
  readonly problem: string | null;
}

export async function keepOutcome(tx: Tx, account: number, { checkedAt, problem }: Outcome): Promise<void> {
  await tx.run(
    `insert into backup_checks (account_id, done_at, checked_at, problem) values (?, 0, ?, ?)
      on conflict (account_id) do update set checked_at = excluded.checked_at, problem = excluded.problem`,
    ...[account, checkedAt, problem],
  );
}

/** Resolves with when the check was that is the longest ago, in milliseconds since 1970, and with how many failed. */
export async function outcomes(local: Reader): Promise<{ readonly oldest: number | null; readonly failed: number }> {
  const sql = 'select min(checked_at) as oldest, count(problem) as failed from backup_checks';
  return (await local.get<{ oldest: number | null; failed: number }>(sql)) ?? { oldest: null, failed: 0 };
}

/** Resolves with the outcomes of accounts that had backups, by account. */
export async function lastChecks(local: Reader) {
  const sql = 'select account_id as account, checked_at, problem from backup_checks where checked_at is not null';
  const rows = await local.all<{ account: number; checked_at: number; problem: string | null }>(sql);
  return new Map(rows.map(({ account, checked_at: checkedAt, problem }) => [account, { checkedAt, problem }]));
}
