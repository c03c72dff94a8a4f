import type { MinuteRow } from './history/store.ts';

const DAY_MS = 86_400_000;
const HOUR_S = 3600;
const MINUTE_S = 60;
const DAYS = 7;
/** Users, domains and websites of a server that fills up, oldest first. */
const WEEK = [
  [2, 3, 2],
  [3, 4, 3],
  [4, 6, 4],
  [5, 8, 5],
  [7, 10, 6],
  [8, 11, 7],
  [8, 12, 8],
] as const;

/** Returns a week before now, with a minute of each hour, and every minute of the last day: days that are busy at noon. */
export function demoMinutes(now = Date.now()): MinuteRow[] {
  const end = Math.floor(now / 1000 / MINUTE_S) * MINUTE_S;
  const dayBefore = end - DAY_MS / 1000;
  const rows: MinuteRow[] = [];
  for (let at = end - (DAYS * DAY_MS) / 1000; at < end; at += at < dayBefore ? HOUR_S : MINUTE_S) {
    const [day, hour] = [DAYS - Math.ceil((end - at) / (DAY_MS / 1000)), (at % (DAY_MS / 1000)) / HOUR_S];
    const noon = Math.exp(-(((hour - 13) / 4.5) ** 2));
    const nightly = Math.floor(hour) === 3 ? 22 : 0; // backups
    const [users, domains, websites] = WEEK[day] ?? [null, null, null];
    rows.push({
      at,
      cpu: rounded(9 + 31 * noon + nightly + 7 * wave(at, 1) + 4 * wave(at, 7)),
      memory: rounded(46 + 9 * noon + day + 1.5 * wave(at, 3)),
      disk: rounded(38 + day * 0.4 + hour / 60),
      users,
      domains,
      websites,
    });
  }
  return rows;
}

/** An uneven course between -1 and 1, the same for the same time. */
const wave = (at: number, pace: number): number =>
  (Math.sin((at * pace) / 977) + Math.sin((at * pace) / 311) + Math.sin((at * pace) / 127)) / 3;
const rounded = (value: number): number => Math.round(value * 100) / 100;
