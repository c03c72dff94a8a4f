/** Maintenance of the tables of a database, of whichever kind its server is. */
import { escapeControl } from '../../log.ts';
import { NamedObject, Type, type Static } from '../../schema.ts';

/** How many tables a request maintains, and how long it may take; after the last one has begun, it may run as long as any. */
export const MAINTENANCE = { tables: 1000, tableMs: 600_000, allMs: 1_800_000, lockMs: 10_000 } as const;
export const MAINTENANCE_ACTIONS = ['optimize', 'check', 'repair'] as const;
export type MaintenanceAction = (typeof MAINTENANCE_ACTIONS)[number];
const TEXT_CHARACTERS = 500;
const STATUSES = ['ok', 'repaired', 'note', 'error'] as const;
export type TableStatus = (typeof STATUSES)[number];

const MaintainedTable = NamedObject('MaintainedTable', {
  table: Type.String({ description: 'With its schema on PostgreSQL' }),
  status: Type.String({
    enum: STATUSES,
    description: '`note`: nothing is wrong, but something was not done, or the server has a remark',
  }),
  text: Type.String({ description: 'What the server says, cut after 500 characters; empty if that is nothing' }),
});
export const MaintainedTables = NamedObject('MaintainedTables', {
  tables: Type.Array(MaintainedTable, { maxItems: MAINTENANCE.tables, description: 'Sorted by name' }),
  total: Type.Integer({
    description:
      'Of all tables of the database; the first 1,000 are listed, or those that were begun within 30 minutes',
  }),
});
export type MaintainedTable = Static<typeof MaintainedTable>;
export type MaintainedTables = Static<typeof MaintainedTables>;

/** Returns the row of a table, with the server's words as they can be shown anywhere. */
export function maintained(table: string, status: TableStatus, words: readonly string[]): MaintainedTable {
  return { table, status, text: escapeControl(words.join('; ')).slice(0, TEXT_CHARACTERS) };
}

/**
 * Runs `work` for one table after the other, until all are done or the time is up. Rejects with what `work` rejects with, and at
 * once with the reason of `signal`: what runs then, the caller ends.
 */
export async function maintainEach<T>(
  tables: readonly T[],
  signal: AbortSignal,
  work: (table: T) => Promise<MaintainedTable>,
): Promise<MaintainedTable[]> {
  signal.throwIfAborted();
  const end = performance.now() + MAINTENANCE.allMs;
  let giveUp = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => (giveUp = () => reject(signal.reason as Error)));
  aborted.catch(() => undefined); // between two tables nobody waits for it
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    const done: MaintainedTable[] = [];
    for (const table of tables) {
      if (performance.now() >= end) break;
      done.push(await Promise.race([work(table), aborted]));
    }
    return done;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
