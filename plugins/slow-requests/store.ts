import type { SlowRequest } from '../../kernel/areas/sites/slow-requests.ts';
import type { Store, Tx } from '../../kernel/store/store.ts';
import { ORDERS, type Order } from './schema.ts';

/** Of an account and a day, the paths that took the most time, and the newest: a flood of others removes neither. */
const MOST = { byTime: 150, newest: 50 };
export const LONGEST = { path: 300, query: 500 };
const DAY_MS = 86_400_000;

/** The slowest request of a path. */
interface Slowest {
  readonly at: number;
  readonly query: string;
  readonly status: number;
}

/** Slow requests of a path. */
interface Sum {
  readonly domainId: number;
  readonly method: string;
  readonly path: string;
  readonly requests: number;
  readonly tookMs: number;
  readonly lastAt: number;
  readonly slowestMs: number;
  readonly slowest: Slowest;
}
export type DaySum = Sum & { readonly accountId: number; readonly day: string };
export type PathSum = Sum & { readonly accountId: number };

/** Returns the day that was so many days ago, in UTC. */
export const dayBefore = (days: number): string => dayOf(Date.now() - days * DAY_MS);
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 'YYYY-MM-DD'.length);

/** Adds requests to those of their paths, and removes what is more than an account may have of a day. */
export async function addRequests(tx: Tx, requests: readonly SlowRequest[]): Promise<void> {
  for (const [accountId, sums] of sumUp(requests)) {
    const most = [...sums.values()].toSorted((a, b) => b.tookMs - a.tookMs).slice(0, MOST.byTime + MOST.newest);
    for (const each of most) await addSum(tx, each);
    await prune(tx, accountId);
  }
}

/** Adds what another node has summed up. */
export async function addMoved(tx: Tx, sum: DaySum): Promise<void> {
  await addSum(tx, sum);
  await prune(tx, sum.accountId);
}

async function prune(tx: Tx, accountId: number): Promise<void> {
  await tx.run(
    `delete from slow_requests where (account_id, day, domain_id, method, path) in (
        select account_id, day, domain_id, method, path from (
          select account_id, day, domain_id, method, path,
            row_number() over (partition by day order by took_ms desc) as by_time,
            row_number() over (partition by day order by last_at desc) as by_age
          from slow_requests where account_id = ?) as ranked
        where by_time > ? and by_age > ?)`,
    ...[accountId, MOST.byTime, MOST.newest],
  );
}

function sumUp(requests: readonly SlowRequest[]): Map<number, Map<string, DaySum>> {
  const accounts = new Map<number, Map<string, DaySum>>();
  for (const { accountId, domainId, at, tookMs, method, path: target, status } of requests) {
    const [path = '', query = ''] = target.split(/\?(.*)/, 2);
    const one = { accountId, day: dayOf(at), domainId, method, path: path.slice(0, LONGEST.path) };
    const sums = accounts.get(accountId) ?? new Map<string, DaySum>();
    accounts.set(accountId, sums);
    const key = `${domainId} ${one.day} ${method} ${one.path}`;
    const before = sums.get(key);
    const slowest = { at, query: query.slice(0, LONGEST.query), status };
    const isSlower = before === undefined || tookMs > before.slowestMs;
    sums.set(key, {
      ...one,
      requests: (before?.requests ?? 0) + 1,
      tookMs: (before?.tookMs ?? 0) + tookMs,
      lastAt: at,
      ...(isSlower ? { slowestMs: tookMs, slowest } : { slowestMs: before.slowestMs, slowest: before.slowest }),
    });
  }
  return accounts;
}

async function addSum(tx: Tx, sum: DaySum): Promise<void> {
  await tx.run(
    `insert into slow_requests values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      on conflict (account_id, day, domain_id, method, path) do update set
        requests = slow_requests.requests + excluded.requests, took_ms = slow_requests.took_ms + excluded.took_ms,
        last_at = excluded.last_at,
        slowest = case when excluded.slowest_ms > slow_requests.slowest_ms then excluded.slowest else slow_requests.slowest end,
        slowest_ms = case when excluded.slowest_ms > slow_requests.slowest_ms then excluded.slowest_ms else slow_requests.slowest_ms end`,
    ...[sum.accountId, sum.day, sum.domainId, sum.method, sum.path, sum.requests, sum.tookMs, sum.lastAt],
    ...[sum.slowestMs, JSON.stringify(sum.slowest)],
  );
}

export interface Page {
  /** The first day that counts. */
  readonly day: string;
  readonly order: Order;
  readonly limit: number;
  readonly offset: number;
}

/** Resolves with the paths of an account at these domains. */
export function pathsOfAccount(
  local: Store,
  { accountId, domainIds }: { readonly accountId: number; readonly domainIds: readonly number[] },
  page: Page,
): Promise<PathSum[]> {
  const where = 'account_id = ? and domain_id in (select value from json_each(?))';
  return readPaths(local, where, [accountId, JSON.stringify(domainIds)], page);
}

/** Resolves with those of all accounts. */
export const pathsOfAll = (local: Store, page: Page): Promise<PathSum[]> => readPaths(local, 'true', [], page);

async function readPaths(
  local: Store,
  where: string,
  values: readonly (number | string)[],
  { day, order, limit, offset }: Page,
): Promise<PathSum[]> {
  const rows = await local.all<Omit<PathSum, 'slowest'> & { slowest: string }>(
    `select accountId, domainId, method, path, requests, tookMs, lastAt, slowestMs, slowest from (
      select account_id as accountId, domain_id as domainId, method, path, sum(requests) over same as requests,
        sum(took_ms) over same as tookMs, max(last_at) over same as lastAt, slowest_ms as slowestMs, slowest,
        row_number() over (partition by account_id, domain_id, method, path order by slowest_ms desc) as place
      from slow_requests where ${where} and day >= ?
      window same as (partition by account_id, domain_id, method, path)) as paths
    where place = 1 order by ${ORDERS[order]} desc, domainId, path, method limit ? offset ?`,
    ...[...values, day, limit, offset],
  );
  return rows.map((row) => ({ ...row, slowest: JSON.parse(row.slowest) as Slowest }));
}

/** Resolves with what was summed up of an account, after one of them. */
export async function sumsAfter(
  local: Store,
  accountId: number,
  after: DaySum | undefined,
  limit: number,
): Promise<DaySum[]> {
  const { day = '', domainId = 0, method = '', path = '' } = after ?? {};
  const rows = await local.all<Omit<DaySum, 'slowest'> & { slowest: string }>(
    `select account_id as accountId, day, domain_id as domainId, method, path, requests, took_ms as tookMs, last_at as lastAt,
        slowest_ms as slowestMs, slowest from slow_requests
      where account_id = ? and (day, domain_id, method, path) > (?, ?, ?, ?) order by day, domain_id, method, path limit ?`,
    ...[accountId, day, domainId, method, path, limit],
  );
  return rows.map((row) => ({ ...row, slowest: JSON.parse(row.slowest) as Slowest }));
}

/** Forgets days that are this old. */
export async function expire(tx: Tx, before: string): Promise<void> {
  await tx.run('delete from slow_requests where day < ?', before);
}

export const forgetDomain = (local: Store, domainId: number): Promise<unknown> =>
  local.write((tx) => tx.run('delete from slow_requests where domain_id = ?', domainId));

/** Resolves with the number of paths of an account that were kept. */
export const forgetAccount = async (tx: Tx, accountId: number): Promise<number> =>
  (await tx.run('delete from slow_requests where account_id = ?', accountId)).changes;
