import type { Schedule } from './store.ts';

const DAY_MS = 24 * 3_600_000;
const MINUTES = 60;
/** So that accounts of successive ids do not begin one after another. */
const STRIDE = 17;

/** Returns when a schedule is due next after `now`, in milliseconds since 1970; `undefined` if it is off. */
export function nextDue(schedule: Schedule, account: number, now: number): number | undefined {
  return schedule.schedule === 'off' ? undefined : dueOn(schedule, account, now, (at) => at > now, 1);
}

/** Whether a schedule was due since a backup was last begun by it. */
export function isDue(schedule: Schedule, account: number, now: number): boolean {
  return schedule.schedule !== 'off' && dueOn(schedule, account, now, (at) => at <= now, -1) > schedule.tried_at;
}

/** Returns the first time that fits, day by day from today. Each account has a minute of its own in the hour. */
function dueOn(
  { schedule, weekday, hour }: Schedule,
  account: number,
  now: number,
  fits: (at: number) => boolean,
  step: 1 | -1,
): number {
  for (let day = 0; ; day += step) {
    const at = new Date(now + day * DAY_MS);
    at.setHours(hour, (account * STRIDE) % MINUTES, 0, 0);
    if ((schedule === 'daily' || at.getDay() === weekday) && fits(at.getTime())) return at.getTime();
  }
}
