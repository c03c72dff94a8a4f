import type { Store, Tx } from '../../kernel/storage/store.ts';
import type { Counted } from './counts.ts';
import type { MetricName } from './schema.ts';

/** A minute's means. */
export interface MinuteRow extends Readonly<Record<MetricName, number | null>> {
  /** Its begin, seconds since 1970. */
  readonly at: number;
}

/** A day, and an hour more so that the first hour of it is whole. */
const MINUTES_KEPT_S = 90_000;
const HOURS_KEPT_S = 366 * 86_400;
/** Lines of `/api/usage/stats` at the most: ten years. */
const DAYS_AT_MOST = 3660;

export class UsageStore {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Writes a batch of minutes, the hours that they belong to, the last count of each day, and drops what is too old. */
  async write(rows: readonly MinuteRow[]): Promise<void> {
    const first = rows[0];
    const last = rows.at(-1);
    if (first === undefined || last === undefined) return;
    await this.#store.write(async (tx) => {
      for (const row of rows) await insertMinute(tx, row);
      await tx.run(
        `insert or replace into usage_history select 3600, at / 3600 * 3600, avg(cpu), avg(memory), avg(disk), cast(round(avg(users)) as integer),
         cast(round(avg(domains)) as integer), cast(round(avg(websites)) as integer) from usage_history where step = 60 and at >= ? and at <= ? group by at / 3600`,
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

  /** The value of a metric in rows of a step, oldest first; `from` and `to` in seconds since 1970, inclusive. */
  async values(
    metric: MetricName,
    step: 60 | 3600,
    from: number,
    to: number,
  ): Promise<{ at: number; value: number }[]> {
    return this.#store.all(
      `select at, ${metric} as value from usage_history where step = ? and at >= ? and at <= ? and ${metric} is not null order by at`,
      step,
      from,
      to,
    );
  }

  /** Counts of the days before `day` on which the server ran, oldest first. */
  async daysBefore(day: string): Promise<Counted[]> {
    const rows = await this.#store.all<Counted>(
      'select day, users, domains, websites from usage_days where day < ? order by day desc limit ?',
      day,
      DAYS_AT_MOST,
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
