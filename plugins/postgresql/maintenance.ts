import type { Account } from '../../kernel/identity/accounts/account.ts';
import {
  maintained,
  maintainEach,
  MAINTENANCE,
  type MaintenanceAction,
  type MaintainedTable,
  type MaintainedTables,
  type TableStatus,
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
  where c.relkind in ('r', 'm') and c.relispopulated and c.relpersistence <> 't' and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`;

interface Parts extends TemporaryParts {
  readonly transfers: DatabaseTransfers;
  readonly writing: Writing;
  readonly config: { readonly connect_timeout_ms: number };
}
type Table = Readonly<Record<'schema' | 'name', string>>;

interface Asked extends Use {
  readonly action: MaintenanceAction;
  readonly signal: AbortSignal;
}

/**
 * Optimises, checks or repairs the tables of a database one by one, as a user that is made for this; what runs ends with `signal`.
 * Errors: 404 `database_not_found`; 409 `request_in_progress`; 503 `databases_unavailable`, `overloaded`.
 */
export async function maintainDatabase(
  parts: Parts,
  account: Account,
  { action, signal: given, ...use }: Asked,
): Promise<MaintainedTables> {
  const limits = { connectMs: parts.config.connect_timeout_ms, queryMs: MAINTENANCE.tableMs };
  const options = { ...limits, database: use.database, settings: SETTINGS };
  const how = (await parts.writing.isStopped(account)) ? 'full, analyze' : 'analyze';
  const acts: Readonly<Record<MaintenanceAction, Act>> = { optimize: vacuum(how), check, repair };
  return parts.transfers.run(account.id, given, async (signal) => {
    const result = await withTemporary(parts, account, { kind: action, ...use }, (login) =>
      PostgresqlClient.use(login, options, async (client) => {
        const { tables, total } = await readTables(client);
        return { tables: await maintainEach(tables, signal, (table) => act(client, acts[action], table)), total };
      }),
    );
    const isWhole = result.tables.length === result.total && result.tables.every(({ status }) => status !== 'error');
    if (action === 'repair' && isWhole) await renewCollation(parts, account, use.database);
    return result;
  });
}

async function readTables(client: PostgresqlClient): Promise<{ tables: Table[]; total: number }> {
  const [count] = await client.query<{ n: number }>(`select count(*)::int as n ${FROM}`);
  const tables = await client.query<Table>(
    `select n.nspname as schema, c.relname as name ${FROM}
      order by n.nspname collate "C", c.relname collate "C" limit ${MAINTENANCE.tables}`,
  );
  return { tables, total: count?.n ?? 0 };
}

/** Does something to a table, by its quoted name. Resolves with what becomes of it, and with the server's words. */
type Act = (client: PostgresqlClient, table: string) => Promise<readonly [TableStatus, readonly string[]]>;

async function act(client: PostgresqlClient, run: Act, { schema, name }: Table): Promise<MaintainedTable> {
  const table = `${schema}.${name}`;
  try {
    return maintained(table, ...(await run(client, `${id(schema)}.${id(name)}`)));
  } catch (error) {
    if (!hasFailed(error)) throw error;
    return maintained(table, 'error', [error.message]);
  }
}

const vacuum =
  (how: string): Act =>
  async (client, table) => {
    const remarks = await client.remarks(`vacuum (${how}) ${table}`);
    return [remarks.length === 0 ? 'ok' : 'note', remarks];
  };

/** Reads each value, wherever it lies, and looks for indexes that do not count, or whose order is of another time. */
const check: Act = async (client, table) => {
  await client.query(`select count((t.*)::text) from ${table} t`);
  const faults = await readFaults(client, table);
  return [faults.length === 0 ? 'ok' : 'error', faults];
};

/** Whether the pages of an index are whole only a superuser may ask, so all are made anew. */
const repair: Act = async (client, table) => {
  const faults = await readFaults(client, table);
  await client.query(`reindex table ${table}`);
  return [faults.length === 0 ? 'ok' : 'repaired', faults];
};

/** 100 is the collation of the database. */
const FAULTS = `select format('the index %s was %s', i.relname, case when x.indisvalid and x.indisready
    then 'sorted by another version of the collation' else 'not finished' end) as fault
  from pg_index x join pg_class i on i.oid = x.indexrelid join pg_database d on d.datname = current_database()
  where x.indrelid = $1::regclass and (not (x.indisvalid and x.indisready)
    or 100 = any (x.indcollation) and d.datcollversion <> pg_database_collation_actual_version(d.oid))
  order by i.relname collate "C"`;
const readFaults = async (client: PostgresqlClient, table: string) =>
  (await client.query<{ fault: string }>(FAULTS, [table])).map(({ fault }) => fault);

/** Notes that all that the collation of a database sorts is sorted by its version of now. */
async function renewCollation({ databases, servers }: Parts, account: Account, database: string): Promise<void> {
  const { server } = await databases.find(account, database);
  await servers.with(server, account, ({ main }) =>
    main.query(`alter database ${id(database)} refresh collation version`),
  );
}
