import type { PhpPool } from '../../kernel/areas/php-pools.ts';
import type { NodePool, NodePools, PoolsQuery } from './schema.ts';

const SHOWN = { domains: 10, problem: 500 };

/** Returns the page of pools that a query wants, and the sums of all. */
export function poolsPage(all: readonly PhpPool[], { q, sort, limit, cursor }: PoolsQuery): NodePools {
  const offset = Number(cursor);
  const found = all.filter(({ username }) => username.includes(q)).map(toRow);
  return {
    pools: found.toSorted(inOrder(sort)).slice(offset, offset + limit),
    total: found.length,
    next_cursor: offset + limit < found.length ? String(offset + limit) : null,
    sums: sumUp(all),
  };
}

export const isRunning = ({ state }: Pick<PhpPool, 'state'>): boolean => ['running', 'busy', 'ending'].includes(state);

function sumUp(pools: readonly PhpPool[]): NodePools['sums'] {
  const sum = (figure: (pool: PhpPool) => number | null) => pools.reduce((all, each) => all + (figure(each) ?? 0), 0);
  return {
    pools: pools.length,
    running: pools.filter(isRunning).length,
    asleep: sum(({ state }) => Number(state === 'asleep')),
    failed: sum(({ state }) => Number(state === 'failed')),
    missing: sum(({ state }) => Number(state === 'missing')),
    processes: sum(({ processes }) => processes),
    active: sum(({ active }) => active),
    memory_bytes: sum(({ memoryBytes }) => memoryBytes),
  };
}

function toRow(pool: PhpPool): NodePool {
  const { username, name, version, domains, state, problem, processes, active, runningSeconds, requests } = pool;
  return {
    ...{ username, pool: name, version, state, problem: problem?.slice(0, SHOWN.problem) ?? null },
    ...{ domains: domains.slice(0, SHOWN.domains), domain_count: domains.length },
    ...{ processes, active, idle: active === null ? null : processes - active, most_processes: pool.mostProcesses },
    ...{ memory_bytes: pool.memoryBytes, running_seconds: runningSeconds, requests },
    requests_per_minute: requests === null ? null : perMinute(requests, runningSeconds),
    limit_reached: pool.limitReached,
  };
}

/** In the first minute, those that there were. */
const perMinute = (requests: number, seconds: number) => Math.round((requests / Math.max(1, seconds / 60)) * 10) / 10;

function inOrder(sort: string): (a: NodePool, b: NodePool) => number {
  const byName = (a: NodePool, b: NodePool) => compare(a.username, b.username) || compare(a.pool, b.pool);
  const figure = ({ memory_bytes: memory, requests_per_minute: requests }: NodePool) =>
    sort === 'name' ? 0 : sort === 'memory' ? memory : (requests ?? -1);
  const isFailed = ({ state }: NodePool) => Number(state === 'failed' || state === 'missing');
  return (a, b) => isFailed(b) - isFailed(a) || figure(b) - figure(a) || byName(a, b);
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
