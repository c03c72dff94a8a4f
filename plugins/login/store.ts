import type { Reader, Tx } from '../../kernel/store/store.ts';

/** Logins and networks kept for each account. */
const KEPT_LOGINS = 100;
const KEPT_NETWORKS = 50;
/** Rows of failures kept in total, about 100 bytes each, so that a flood of invented names cannot fill the disk. */
const KEPT_FAILURES = 400_000;
const DAY_MS = 86_400_000;

interface LoginRow {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly ip: string;
}

/** Returns the last logins of an account, newest first. */
export function lastLogins(reader: Reader, accountId: number, limit: number, offset = 0): Promise<LoginRow[]> {
  return reader.all<LoginRow>(
    'select at, ip from login_history where account_id = ? order by id desc limit ? offset ?',
    accountId,
    limit,
    offset,
  );
}

export async function addLogin(tx: Tx, accountId: number, { at, ip }: LoginRow, network: string): Promise<void> {
  await tx.run('insert into login_history (account_id, at, ip) values (?, ?, ?)', accountId, at, ip);
  await tx.run(
    `delete from login_history where account_id = ? and id <=
      (select id from login_history where account_id = ? order by id desc limit 1 offset ?)`,
    accountId,
    accountId,
    KEPT_LOGINS,
  );
  await addKnownNetwork(tx, accountId, network, at);
}

/** Adds a network from which others' failures do not lock the account out; the oldest beyond the maximum go. */
export async function addKnownNetwork(tx: Tx, accountId: number, network: string, at: number): Promise<void> {
  await tx.run(
    'insert into known_networks values (?, ?, ?) on conflict (account_id, network) do update set at = excluded.at',
    accountId,
    network,
    at,
  );
  await tx.run(
    `delete from known_networks where account_id = ? and at <
      (select at from known_networks where account_id = ? order by at desc limit 1 offset ?)`,
    accountId,
    accountId,
    KEPT_NETWORKS - 1,
  );
}

/** Resolves with what the throttle knows about an account and a network; `unlockedAt` is 0 if nobody unlocked it. */
export async function readStanding(
  reader: Reader,
  accountId: number,
  network: string,
): Promise<{ isKnown: boolean; unlockedAt: number }> {
  const row = await reader.get<{ is_known: number; unlocked_at: number | null }>(
    `select cast(exists (select 1 from known_networks where account_id = ? and network = ?) as integer) as is_known,
      (select at from login_unlocks where account_id = ?) as unlocked_at`,
    accountId,
    network,
    accountId,
  );
  return { isKnown: row?.is_known === 1, unlockedAt: row?.unlocked_at ?? 0 };
}

/**
 * Makes the failures of an account up to this time count no longer, nor those that a node wrote whose clock is ahead by up to
 * a minute.
 */
export async function unlockLogins(tx: Tx, accountId: number, now: number): Promise<void> {
  const newest = await tx.get<{ at: number | null }>(
    'select max(at) as at from login_failures where at <= ?',
    now + 60_000,
  );
  const at = Math.max(now, newest?.at ?? 0);
  await tx.run(
    `insert into login_unlocks values (?, ?) on conflict (account_id) do update set at = excluded.at
      where excluded.at > login_unlocks.at`,
    accountId,
    at,
  );
}

/**
 * Returns the times of a budget's failures in the last day, newest first. Ignores times in the future, which a wrong
 * clock has left.
 */
export async function failureTimes(reader: Reader, budget: string, now: number, limit: number): Promise<number[]> {
  const rows = await reader.all<{ at: number }>(
    'select at from login_failures where budget = ? and at > ? and at <= ? order by at desc limit ?',
    budget,
    now - DAY_MS,
    now,
    limit,
  );
  return rows.map((row) => row.at);
}

/** Returns the times of failures in the last day, newest first, by budget: those of the budgets with the newest failures. */
export async function failuresOfLocked(
  reader: Reader,
  fewest: number,
  now: number,
  limit: number,
): Promise<Map<string, number[]>> {
  const rows = await reader.all<{ budget: string; at: number }>(
    `select budget, at from login_failures where at > ?1 and at <= ?2 and budget in
      (select budget from login_failures where at > ?1 and at <= ?2
        group by budget having count(*) >= ?3 order by max(at) desc limit ?4)
      order by at desc`,
    now - DAY_MS,
    now,
    fewest,
    limit,
  );
  const found = new Map<string, number[]>();
  for (const { budget, at } of rows) {
    const times = found.get(budget);
    if (times === undefined) found.set(budget, [at]);
    else times.push(at);
  }
  return found;
}

/** Returns when accounts were unlocked, by account; those that never were are left out. */
export async function accountsUnlocked(reader: Reader, ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await reader.all<{ account_id: number; at: number }>(
    'select account_id, at from login_unlocks where account_id in (select cast(value as bigint) from json_each(?))',
    JSON.stringify(ids),
  );
  return new Map(rows.map(({ account_id: id, at }) => [id, at]));
}

export async function countFailures(reader: Reader, budget: string): Promise<number> {
  const sql = 'select count(*) as n from login_failures where budget = ?';
  return (await reader.get<{ n: number }>(sql, budget))?.n ?? 0;
}

export async function forgetFailures(tx: Tx, budget: string): Promise<void> {
  await tx.run('delete from login_failures where budget = ?', budget);
}

export async function addFailures(tx: Tx, budgets: readonly string[], at: number): Promise<void> {
  await tx.run('delete from login_failures where at <= ?', at - DAY_MS);
  for (const budget of budgets) {
    const id = await tx.insert('insert into login_failures (budget, at) values (?, ?)', budget, at);
    await tx.run('delete from login_failures where id <= ?', id - KEPT_FAILURES);
  }
}

interface TwofaRow {
  /** Sealed. */
  readonly secret: string;
  readonly started_at: number;
  readonly enabled_at: number | null;
}

export function readTwofa(reader: Reader, accountId: number): Promise<TwofaRow | undefined> {
  return reader.get<TwofaRow>('select secret, started_at, enabled_at from twofa where account_id = ?', accountId);
}

/** Starts or restarts a set-up; resolves with `false` when two-factor authentication is on. */
export async function startTwofa(tx: Tx, accountId: number, secret: string, at: number): Promise<boolean> {
  const { changes } = await tx.run(
    `insert into twofa values (?, ?, ?, null, 0) on conflict (account_id) do update
     set secret = excluded.secret, started_at = excluded.started_at where twofa.enabled_at is null`,
    accountId,
    secret,
    at,
  );
  return changes > 0;
}

/** Turns it on with the code of a step as the first one; resolves with `false` when this set-up is not pending. */
export async function enableTwofa(
  tx: Tx,
  accountId: number,
  secret: string,
  step: number,
  at: number,
  codeHashes: readonly string[],
): Promise<boolean> {
  const { changes } = await tx.run(
    'update twofa set enabled_at = ?, last_step = ? where account_id = ? and secret = ? and enabled_at is null',
    at,
    step,
    accountId,
    secret,
  );
  if (changes === 0) return false;
  for (const hash of codeHashes) await tx.run('insert into recovery_codes values (?, ?)', accountId, hash);
  return true;
}

/** Consumes the code of a step; resolves with `false` when this one or a later one was used before. */
export async function useStep(tx: Tx, accountId: number, secret: string, step: number): Promise<boolean> {
  const { changes } = await tx.run(
    'update twofa set last_step = ? where account_id = ? and secret = ? and enabled_at is not null and last_step < ?',
    step,
    accountId,
    secret,
    step,
  );
  return changes > 0;
}

/** Consumes a recovery code; resolves with `false` when the account has no such code. */
export async function useRecoveryCode(tx: Tx, accountId: number, hash: string): Promise<boolean> {
  return (await tx.run('delete from recovery_codes where account_id = ? and hash = ?', accountId, hash)).changes > 0;
}

export async function removeTwofa(tx: Tx, accountId: number): Promise<void> {
  await tx.run('delete from twofa where account_id = ?', accountId);
}
