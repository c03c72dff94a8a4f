import type { AccountTask } from '../../kernel/areas/tasks/account-tasks.ts';
import type { Plan } from '../../kernel/identity/accounts/plans.ts';
import type { BackupsConfig } from './schema.ts';

/** When backups are made, as the account chose it, and how many it wants to keep. */
export interface Schedule {
  readonly schedule: 'plan' | 'off' | 'daily' | 'weekly';
  readonly weekday: number;
  readonly hour: number;
  readonly kept: number;
  /** Milliseconds since 1970; 0 for never. */
  readonly tried_at: number;
}
export type When = Schedule & { readonly schedule: BackupsConfig['default_schedule'] };
/** Another try, after one that failed since the schedule was due. */
interface Retry {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Whether the account was told of a failure; it is told of none that the end of the server caused. */
  readonly isTold: boolean;
}

const DAY_MS = 24 * 3_600_000;
const MINUTES = 60;
/** So that accounts of successive ids do not begin one after another. */
const STRIDE = 17;
/** Why no backup was made, and none will be at another try. */
const FINAL = new Set(['nothing_to_back_up', 'backups_full', 'account_not_found', 'other_node']);
/** Hours after midnight in which accounts are backed up that chose no other. */
const NIGHT_HOURS = 6;

/** Returns the schedule of an account that chose nothing, whose time is as far from that of others as the night allows. */
export function unchosen(account: number): Schedule {
  const hour = Math.floor((account * STRIDE) / MINUTES) % NIGHT_HOURS;
  return { schedule: 'plan', weekday: account % 7, hour, kept: 0, tried_at: 0 };
}

/** Returns a schedule with what the plan says in the place of `plan`. */
export function decided(schedule: Schedule, config: BackupsConfig, plan: Pick<Plan, 'name'> | undefined): When {
  const { plan_schedules: plans, default_schedule: any } = config;
  const byPlan = (Object.hasOwn(plans, plan?.name ?? '') ? plans[plan?.name ?? ''] : undefined) ?? any;
  return { ...schedule, schedule: schedule.schedule === 'plan' ? byPlan : schedule.schedule };
}

/** Returns when a schedule is due next after `now`, in milliseconds since 1970; `undefined` if it is off. */
export function nextDue(schedule: When, account: number, now: number): number | undefined {
  return schedule.schedule === 'off' ? undefined : dueOn(schedule, account, now, (at) => at > now, 1);
}

/** Returns when a schedule was due last, in milliseconds since 1970; `undefined` if it is off. */
export function lastDue(schedule: When, account: number, now: number): number | undefined {
  return schedule.schedule === 'off' ? undefined : dueOn(schedule, account, now, (at) => at <= now, -1);
}

/** Whether a schedule was due since a backup was last begun by it. */
export function isDue(schedule: When, account: number, now: number): boolean {
  return (lastDue(schedule, account, now) ?? 0) > schedule.tried_at;
}

/** Returns how one that failed since a time is tried again; `undefined` if none did, or no try can help. `tasks` are the newest first. */
export function findRetry(tasks: readonly AccountTask[], since: number, pauseMs: number): Retry | undefined {
  const tries = tasks.filter(({ kind, created_at: at }) => kind === 'backup' && Date.parse(at) >= since);
  const [last] = tries;
  if (last?.state !== 'failed' || FINAL.has(last.error ?? '')) return undefined;
  const isTold = tries.some(({ state, error }) => state === 'failed' && error !== 'task_interrupted');
  return { at: Date.parse(last.ended_at ?? last.created_at) + pauseMs, isTold };
}

/** Returns the first time that fits, day by day from today. Each account has a minute of its own in the hour. */
function dueOn(
  { schedule, weekday, hour }: When,
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
