import type { DatabaseClient } from '../../../kernel/areas/database-servers.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { identifier, isSqlError } from '../../../kernel/kit/databases/mysql-text.ts';
import {
  maintainEach,
  MAINTENANCE,
  type MaintenanceAction,
  type MaintainedTable,
  type MaintainedTables,
} from '../../../kernel/kit/databases/table-maintenance.ts';
import type { DatabaseTransfers } from '../../../kernel/kit/databases/database-transfers.ts';
import { withTemporary, type TemporaryParts } from '../temporary-work.ts';
import { statusIn, verdictOn, type AdminRow } from '../../../kernel/kit/databases/mariadb/table-verdict.ts';

/** Of those that the server lists, what has rows of its own. */
const BASE = "table_type in ('BASE TABLE', 'SYSTEM VERSIONED')";
/** The server ends a statement that takes too long; only if it does not, the connection is given up. */
const GRACE_MS = 30_000;

interface Parts extends TemporaryParts {
  readonly transfers: DatabaseTransfers;
}
interface Asked {
  readonly database: string;
  readonly action: MaintenanceAction;
  readonly ip: string;
  readonly signal: AbortSignal;
}

/**
 * Optimises, checks or repairs the tables of a database one by one, as a user that is made for this; what runs ends with `signal`.
 * Errors: 404 `database_not_found`; 409 `request_in_progress`; 503 `databases_unavailable`, `overloaded`.
 */
export function maintainDatabase(parts: Parts, account: Account, asked: Asked): Promise<MaintainedTables> {
  const { database: name, action, ip } = asked;
  const change = { kind: 'maintenance', name, ip, about: { action } } as const;
  return parts.transfers.run(account.id, asked.signal, (signal) =>
    withTemporary(parts, account, change, (login) =>
      parts.servers.as(account, login, MAINTENANCE.tableMs + GRACE_MS, async (client) => {
        await client.query(`set session lock_wait_timeout = ${MAINTENANCE.lockMs / 1000}`);
        await client.query(`set session max_statement_time = ${MAINTENANCE.tableMs / 1000}`);
        await client.query("set session system_versioning_alter_history = 'keep'"); // made anew, a table has all that it had
        const { names, total } = await readTables(client, name);
        const tables = await maintainEach(names, signal, (table) => ACTIONS[action](client, name, table));
        return { tables, total };
      }),
    ),
  );
}

async function readTables(client: DatabaseClient, database: string): Promise<{ names: string[]; total: number }> {
  const from = `from information_schema.tables where table_schema = ? and ${BASE}`;
  const [count] = await client.query<{ n: number }>(`select count(*) as n ${from}`, [database]);
  const rows = await client.query<{ name: string }>(
    `select table_name as name ${from} order by table_name limit ${MAINTENANCE.tables}`,
    [database],
  );
  return { names: rows.map(({ name }) => name), total: Number(count?.n ?? 0) };
}

type Act = (client: DatabaseClient, database: string, table: string) => Promise<MaintainedTable>;

const plainly =
  (statement: 'optimize' | 'check'): Act =>
  async (client, database, table) => {
    const rows = await run(client, statement, database, table);
    return verdictOn(table, statusIn(rows), rows);
  };

const ACTIONS: Readonly<Record<MaintenanceAction, Act>> = {
  optimize: plainly('optimize'),
  check: plainly('check'),
  /** Leaves what is whole as it is: a repair writes a table anew, and may lose rows. */
  async repair(client, database, table) {
    const found = await run(client, 'check', database, table);
    const before = statusIn(found);
    if (before === 'ok') return verdictOn(table, before, found);
    const done = await run(client, 'repair', database, table);
    const after = statusIn(done);
    const isSupported = done.some(({ Msg_type: type }) => type.toLowerCase() === 'status');
    if (isSupported) return verdictOn(table, after === 'error' ? after : 'repaired', done);
    return verdictOn(table, before === 'error' ? before : after, [...found, ...done]);
  },
};

/** Resolves with the answer of the server, also if it refuses the statement. */
async function run(client: DatabaseClient, statement: string, database: string, table: string): Promise<AdminRow[]> {
  try {
    return await client.query<AdminRow>(`${statement} table ${identifier(database)}.${identifier(table)}`);
  } catch (error) {
    if (!isSqlError(error)) throw error;
    return [{ Msg_type: 'error', Msg_text: error.message }];
  }
}
