import type { Store } from '../../kernel/storage/store.ts';

export interface Delivery {
  readonly event_id: number;
  readonly body: string;
  /** Number of failed attempts. */
  readonly attempts: number;
  readonly created_at: number;
  readonly due_at: number;
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
   * Moves the cursor, forward only, and adds deliveries, in one transaction. Returns how many of the oldest deliveries
   * were dropped because an endpoint's backlog was full.
   */
  async add(cursor: number, deliveries: readonly NewDelivery[], backlog: number): Promise<number> {
    return this.#store.write(async (tx) => {
      const before = await tx.get<{ event_id: number }>('select event_id from webhook_cursor');
      await tx.run('delete from webhook_cursor');
      await tx.run('insert into webhook_cursor values (?)', Math.max(cursor, before?.event_id ?? 0));
      const now = Date.now();
      for (const { endpoint, eventId, body } of deliveries) {
        await tx.run(
          `insert or ignore into webhook_deliveries (endpoint, event_id, body, created_at, due_at)
             values (?, ?, ?, ?, ?)`,
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

  async remove(endpoint: string, eventId: number): Promise<void> {
    await this.#store.write((tx) =>
      tx.run('delete from webhook_deliveries where endpoint = ? and event_id = ?', endpoint, eventId),
    );
  }

  async postpone(endpoint: string, eventId: number, attempts: number, dueAt: number): Promise<void> {
    await this.#store.write((tx) =>
      tx.run(
        'update webhook_deliveries set attempts = ?, due_at = ? where endpoint = ? and event_id = ?',
        attempts,
        dueAt,
        endpoint,
        eventId,
      ),
    );
  }

  async waiting(endpoint: string): Promise<number> {
    const sql = 'select count(*) as n from webhook_deliveries where endpoint = ?';
    return (await this.#store.get<{ n: number }>(sql, endpoint))?.n ?? 0;
  }

  /** Removes the queues of all other endpoints; without any endpoint, also the cursor. */
  async keepOnly(endpoints: readonly string[]): Promise<void> {
    await this.#store.write(async (tx) => {
      await tx.run(
        'delete from webhook_deliveries where endpoint not in (select value from json_each(?))',
        JSON.stringify(endpoints),
      );
      if (endpoints.length === 0) await tx.run('delete from webhook_cursor');
    });
  }
}
