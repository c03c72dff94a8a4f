import type { Store, Tx } from '../../../kernel/store/store.ts';
import type { DayCounts } from './counts.ts';
import type { MetricName } from '../schema.ts';

/** The means of a minute. */
export interface MinuteRow extends Readonly<Record<MetricName, number | null>> {
  /** Start of the minute, seconds since 1970. */
  readonly at: number;
}

/** A day, and another hour so that the first hour of the day is complete. */
const MINUTES_KEPT_S = 90_000;
const HOURS_KEPT_S = 366 * 86_400;
/** Lines of `/api/usage/stats`: ten years. */
const MAX_DAYS = 3660;

export class UsageStore {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Writes a batch of minutes, their hours, and the last counts of each day; deletes expired rows. */
  async write(rows: readonly MinuteRow[]): Promise<void> {
    const first = rows[0];
    const last = rows.at(-1);
    if (first === undefined || last === undefined) return;
    await this.#store.write(async (tx) => {
      for (const row of rows) await insertMinute(tx, row);
      await tx.run(
        `insert or replace into usage_history
         select 3600, at / 3600 * 3600, avg(cpu), avg(memory), avg(disk), cast(round(avg(users)) as integer),
           cast(round(avg(domains)) as integer), cast(round(avg(websites)) as integer)
         from usage_history where step = 60 and at >= ? and at <= ? group by at / 3600`,
        first.at - (first.at % 3600),
        last.at,
      );
      await tx.run(
        'delete from usage_history where (step = 60 and at < ?) or (step = 3600 and at < ?)',
        last.at - MINUTES_KEPT_S,
        last.at - HOURS_KEPT_S,
      );
    });
  }

  /** Returns a metric's values at a step, oldest first; `from` and `to` are in seconds since 1970, inclusive. */
  async values(
    metric: MetricName,
    step: 60 | 3600,
    from: number,
    to: number,
  ): Promise<{ at: number; value: number }[]> {
    return this.#store.all(
      `select at, ${metric} as value from usage_history
       where step = ? and at >= ? and at <= ? and ${metric} is not null order by at`,
      step,
      from,
      to,
    );
  }

  /** Returns the counts of all recorded days before `day`, oldest first. */
  async daysBefore(day: string): Promise<DayCounts[]> {
    const rows = await this.#store.all<DayCounts>(
      'select day, users, domains, websites from usage_days where day < ? order by day desc limit ?',
      day,
      MAX_DAYS,
    );
    return rows.toReversed();
  }
}

async function insertMinute(tx: Tx, { at, cpu, memory, disk, users, domains, websites }: MinuteRow): Promise<void> {
  await tx.run(
    'insert or replace into usage_history values (60, ?, ?, ?, ?, ?, ?, ?)',
    at,
    cpu,
    memory,
    disk,
    users,
    domains,
    websites,
  );
  if (users === null || domains === null || websites === null) return;
  await tx.run(
    'insert or replace into usage_days values (?, ?, ?, ?)',
    new Date(at * 1000).toISOString().slice(0, 10),
    users,
    domains,
    websites,
  );
}
