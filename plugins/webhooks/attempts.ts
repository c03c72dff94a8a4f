import type { Reader, Tx } from '../../kernel/store/store.ts';

/** Attempts of an endpoint that are kept. */
const KEPT = 20;

/** How an attempt went. */
export interface Attempt {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly ms: number;
  /** Of the answer; `null` if there was none. */
  readonly status: number | null;
  /** Why it failed; empty if it did not. */
  readonly reason: string;
  /** The beginning of the answer's body. */
  readonly answer: string;
}

interface AttemptRow extends Attempt {
  readonly event_id: number;
  readonly body: string;
}

/** Keeps an attempt, and forgets all but the latest ones. */
export async function keepAttempt(
  tx: Tx,
  endpoint: string,
  { event_id, body }: Pick<AttemptRow, 'event_id' | 'body'>,
  { at, ms, status, reason, answer }: Attempt,
): Promise<void> {
  await tx.run(
    `insert into webhook_attempts (endpoint, event_id, body, at, ms, status, reason, answer)
      values (?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[endpoint, event_id, body, at, ms, status, reason, answer],
  );
  await tx.run(
    `delete from webhook_attempts where endpoint = ?1 and id <=
      (select id from webhook_attempts where endpoint = ?1 order by id desc limit 1 offset ${KEPT})`,
    endpoint,
  );
}

/** Resolves with the latest attempts to deliver to an endpoint, newest first. */
export function latestAttempts(reader: Reader, endpoint: string): Promise<AttemptRow[]> {
  return reader.all<AttemptRow>(
    'select event_id, body, at, ms, status, reason, answer from webhook_attempts where endpoint = ? order by id desc',
    endpoint,
  );
}
