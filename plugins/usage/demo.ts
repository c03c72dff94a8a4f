import type { DayCounts } from './history/counts.ts';

const DAY_MS = 86_400_000;
/** Users, domains and websites of a server that fills up, oldest first. */
const WEEK = [
  [1, 1, 0],
  [1, 2, 1],
  [1, 3, 2],
  [1, 3, 3],
  [2, 5, 3],
  [2, 5, 4],
  [2, 6, 5],
] as const;

/** Returns counts for the week before today. */
export function demoDays(now = Date.now()): DayCounts[] {
  return WEEK.map(([users, domains, websites], i) => ({
    day: new Date(now - (WEEK.length - i) * DAY_MS).toISOString().slice(0, 10),
    users,
    domains,
    websites,
  }));
}
