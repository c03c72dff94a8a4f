import type { Store, Tx } from '../../kernel/store/store.ts';
import { keepAttempt, type Attempt } from './attempts.ts';

export interface Delivery {
  readonly event_id: number;
  readonly body: string;
  /** Number of failed attempts. */
  readonly attempts: number;
  readonly created_at: number;
  readonly due_at: number;
}

/** How deliveries to an endpoint went since it was first used. Times are milliseconds since 1970, `null` for never. */
export interface EndpointState {
  readonly delivered: number;
  /** Attempts that failed. */
  readonly failed: number;
  /** Deliveries that were given up. */
  readonly given_up: number;
  readonly delivered_at: number | null;
  readonly failed_at: number | null;
  /** Why the last attempt that failed did so. */
  readonly reason: string;
}

interface NewDelivery {
  readonly endpoint: string;
  readonly eventId: number;
  readonly body: string;
}

/** The queues of all endpoints, and the position in the event log. Times are milliseconds since 1970. */
export class DeliveryQueue {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async cursor(): Promise<number | undefined> {
    return (await this.#store.get<{ event_id: number }>('select event_id from webhook_cursor'))?.event_id;
  }

  /**
   * Moves the cursor, forward only, and adds deliveries of events behind it, in one transaction: those before it were added
   * by another process. Returns how many of the oldest deliveries were dropped because an endpoint's backlog was full.
   */
  async add(cursor: number, deliveries: readonly NewDelivery[], backlog: number): Promise<number> {
    return this.#store.write(async (tx) => {
      const before = await tx.get<{ event_id: number }>('select event_id from webhook_cursor');
      await tx.run('delete from webhook_cursor');
      await tx.run('insert into webhook_cursor values (?)', Math.max(cursor, before?.event_id ?? 0));
      const now = Date.now();
      for (const { endpoint, eventId, body } of deliveries) {
        if (eventId <= (before?.event_id ?? 0)) continue;
        await tx.run(
          `insert into webhook_deliveries (endpoint, event_id, body, created_at, due_at)
             values (?, ?, ?, ?, ?) on conflict do nothing`,
          endpoint,
          eventId,
          body,
          now,
          now,
        );
      }
      let dropped = 0;
      for (const endpoint of new Set(deliveries.map((each) => each.endpoint))) {
        const { changes } = await tx.run(
          `delete from webhook_deliveries where endpoint = ? and event_id <=
             (select event_id from webhook_deliveries where endpoint = ? order by event_id desc limit 1 offset ?)`,
          endpoint,
          endpoint,
          backlog,
        );
        dropped += changes;
      }
      return dropped;
    });
  }

  /** Returns the delivery that is due first; of several, the one of the oldest event. */
  next(endpoint: string): Promise<Delivery | undefined> {
    return this.#store.get<Delivery>(
      `select event_id, body, attempts, created_at, due_at from webhook_deliveries
         where endpoint = ? order by due_at, event_id limit 1`,
      endpoint,
    );
  }

  /** Reserves a delivery until a time; resolves with false when another process has it. */
  async claim(endpoint: string, { event_id, due_at }: Delivery, until: number): Promise<boolean> {
    const { changes } = await this.#store.write((tx) =>
      tx.run(
        'update webhook_deliveries set due_at = ? where endpoint = ? and event_id = ? and due_at = ?',
        until,
        endpoint,
        event_id,
        due_at,
      ),
    );
    return changes === 1;
  }

  /** Removes a delivery that was accepted. */
  async delivered(endpoint: string, delivery: Delivery, attempt: Attempt): Promise<void> {
    await this.#store.write(async (tx) => {
      await remove(tx, endpoint, delivery.event_id);
      await keepAttempt(tx, endpoint, delivery, attempt);
      await tx.run(
        `insert into webhook_state (endpoint, delivered, delivered_at) values (?, 1, ?)
          on conflict (endpoint) do update set delivered = webhook_state.delivered + 1, delivered_at = excluded.delivered_at`,
        endpoint,
        Date.now(),
      );
    });
  }

  /** Counts an attempt that failed, and makes the delivery due at a time; gives it up if that is `undefined`. */
  async failed(endpoint: string, delivery: Delivery, attempt: Attempt, dueAt: number | undefined): Promise<void> {
    const { event_id, attempts } = delivery;
    await this.#store.write(async (tx) => {
      await keepAttempt(tx, endpoint, delivery, attempt);
      if (dueAt === undefined) await remove(tx, endpoint, event_id);
      else await postpone(tx, endpoint, event_id, attempts + 1, dueAt);
      await tx.run(
        `insert into webhook_state (endpoint, failed, given_up, failed_at, reason) values (?, 1, ?, ?, ?)
          on conflict (endpoint) do update set failed = webhook_state.failed + 1,
            given_up = webhook_state.given_up + excluded.given_up,
            failed_at = excluded.failed_at, reason = excluded.reason`,
        endpoint,
        dueAt === undefined ? 1 : 0,
        Date.now(),
        attempt.reason,
      );
    });
  }

  /** Makes a delivery due at a time, as if it had not been tried. */
  async postpone(endpoint: string, eventId: number, attempts: number, dueAt: number): Promise<void> {
    await this.#store.write((tx) => postpone(tx, endpoint, eventId, attempts, dueAt));
  }

  async state(endpoint: string): Promise<EndpointState> {
    const row = await this.#store.get<EndpointState>(
      'select delivered, failed, given_up, delivered_at, failed_at, reason from webhook_state where endpoint = ?',
      endpoint,
    );
    return row ?? { delivered: 0, failed: 0, given_up: 0, delivered_at: null, failed_at: null, reason: '' };
  }

  async waiting(endpoint: string): Promise<number> {
    const sql = 'select count(*) as n from webhook_deliveries where endpoint = ?';
    return (await this.#store.get<{ n: number }>(sql, endpoint))?.n ?? 0;
  }

  /** Removes the queues of all other endpoints; without any endpoint, also the cursor. */
  async keepOnly(endpoints: readonly string[]): Promise<void> {
    await this.#store.write(async (tx) => {
      for (const table of ['webhook_deliveries', 'webhook_state', 'webhook_attempts'])
        await tx.run(
          `delete from ${table} where endpoint not in (select value from json_each(?))`,
          JSON.stringify(endpoints),
        );
      if (endpoints.length === 0) await tx.run('delete from webhook_cursor');
    });
  }
}

/** Queues an event for an endpoint once more; one that is waiting is tried again from the beginning. */
export async function requeue(tx: Tx, { endpoint, eventId, body }: NewDelivery): Promise<void> {
  const now = Date.now();
  await tx.run(
    `insert into webhook_deliveries (endpoint, event_id, body, created_at, due_at) values (?, ?, ?, ?, ?)
      on conflict (endpoint, event_id) do update set attempts = 0, created_at = excluded.created_at, due_at = excluded.due_at`,
    endpoint,
    eventId,
    body,
    now,
    now,
  );
}

/** Makes all deliveries that wait for an endpoint due now, and resolves with their number. */
export async function hasten(tx: Tx, endpoint: string): Promise<number> {
  const sql = 'update webhook_deliveries set attempts = 0, created_at = ?1, due_at = ?1 where endpoint = ?2';
  return (await tx.run(sql, Date.now(), endpoint)).changes;
}

async function remove(tx: Tx, endpoint: string, eventId: number): Promise<void> {
  await tx.run('delete from webhook_deliveries where endpoint = ? and event_id = ?', endpoint, eventId);
}

async function postpone(tx: Tx, endpoint: string, eventId: number, attempts: number, dueAt: number): Promise<void> {
  await tx.run(
    'update webhook_deliveries set attempts = ?, due_at = ? where endpoint = ? and event_id = ?',
    attempts,
    dueAt,
    endpoint,
    eventId,
  );
}
