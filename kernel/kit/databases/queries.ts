import { escapeControl } from '../../log.ts';
import { databaseFail } from './errors.ts';
import type { DatabaseQueryResult } from './schema.ts';

/** How long a customer's statement may take, and how much of its result is read. */
export const QUERY_LIMITS = { ms: 10_000, rows: 1000, bytes: 1 << 20 } as const;

/** Rows as a driver reads them. */
interface ReadRows<V> {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (V | null)[])[];
  /** Whether there are more rows. */
  readonly isCut: boolean;
}

/** Resolves with what a customer's statement reads. Errors: 422 `query_failed` with the words of `why`. */
export async function answerQuery<V>(
  read: () => Promise<ReadRows<V>>,
  shown: (value: V) => string,
  why: (error: unknown) => string,
): Promise<DatabaseQueryResult> {
  const begun = performance.now();
  const { columns, rows, isCut } = await read().catch((error: unknown) => {
    throw databaseFail.query_failed(escapeControl(why(error)), { cause: error });
  });
  return {
    columns: [...columns],
    rows: rows.map((row) => row.map((value) => (value === null ? null : shown(value)))),
    truncated: isCut,
    ms: Math.round(performance.now() - begun),
  };
}
