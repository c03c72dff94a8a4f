import type { Account } from '../../kernel/identity/accounts/account.ts';
import {
  maintained,
  maintainEach,
  MAINTENANCE,
  type MaintainedTable,
  type MaintainedTables,
} from '../../kernel/kit/databases/table-maintenance.ts';
import type { DatabaseTransfers } from '../../kernel/kit/databases/database-transfers.ts';
import { hasFailed, PostgresqlClient } from '../../kernel/kit/databases/postgresql/client.ts';
import { identifier as id } from '../../kernel/kit/databases/postgresql/sql-text.ts';
import type { Writing } from './writing/writing.ts';
import { withTemporary, type TemporaryParts, type Use } from './temporary-users/temporary-work.ts';

/** Settings by which no name in a statement of ours is a customer's; what an index or a view calls is, and so may write nothing. */
const SETTINGS = [
  ...['search_path=pg_catalog,pg_temp', 'client_min_messages=warning', 'default_transaction_read_only=on'],
  ...[`lock_timeout=${MAINTENANCE.lockMs}`, `statement_timeout=${MAINTENANCE.tableMs}`],
];
/** Partitions stand for the table that they are parts of, which has no rows itself. */
const FROM = `from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'm') and c.relpersistence <> 't' and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`;

interface Parts extends TemporaryParts {
  readonly transfers: DatabaseTransfers;
  readonly writing: Writing;
  readonly config: { readonly connect_timeout_ms: number };
}
interface Table {
  readonly schema: string;
  readonly name: string;
}

/**
 * Vacuums and analyses the tables of a database one by one; where its room is needed, also writes them anew. It does so as a user that is made for this; what runs ends with `signal`. Errors: 404
 * `database_not_found`; 409 `request_in_progress`; 503 `databases_unavailable`, `overloaded`.
 */
export async function vacuumDatabase(
  parts: Parts,
  account: Account,
  { signal: given, ...use }: Use & { readonly signal: AbortSignal },
): Promise<MaintainedTables> {
  const limits = { connectMs: parts.config.connect_timeout_ms, queryMs: MAINTENANCE.tableMs };
  const options = { ...limits, database: use.database, settings: SETTINGS };
  const how = (await parts.writing.isStopped(account)) ? 'full, analyze' : 'analyze';
  return parts.transfers.run(account.id, given, (signal) =>
    withTemporary(parts, account, { kind: 'vacuum', ...use }, (login) =>
      PostgresqlClient.use(login, options, async (client) => {
        const { tables, total } = await readTables(client);
        return { tables: await maintainEach(tables, signal, (table) => vacuum(client, how, table)), total };
      }),
    ),
  );
}

async function readTables(client: PostgresqlClient): Promise<{ tables: Table[]; total: number }> {
  const [count] = await client.query<{ n: number }>(`select count(*)::int as n ${FROM}`);
  const tables = await client.query<Table>(
    `select n.nspname as schema, c.relname as name ${FROM}
      order by n.nspname collate "C", c.relname collate "C" limit ${MAINTENANCE.tables}`,
  );
  return { tables, total: count?.n ?? 0 };
}

async function vacuum(client: PostgresqlClient, how: string, { schema, name }: Table): Promise<MaintainedTable> {
  const table = `${schema}.${name}`;
  try {
    const remarks = await client.remarks(`vacuum (${how}) ${id(schema)}.${id(name)}`);
    return maintained(table, remarks.length === 0 ? 'ok' : 'note', remarks);
  } catch (error) {
    if (!hasFailed(error)) throw error;
    return maintained(table, 'error', [error.message]);
  }
}
