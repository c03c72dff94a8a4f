import { escapeControl } from '../../kernel/log.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { AccountServers } from './account-servers.ts';
import type { Databases } from './databases.ts';
import { databaseFail as fail } from '../../kernel/kit/databases/errors.ts';
import type { Items } from './items.ts';
import type { DatabaseQueryResult } from '../../kernel/kit/databases/schema.ts';
import { isVerdict, PostgresqlClient } from './server/client.ts';
import { makeTemporary, retireTemporary } from './temporary-users.ts';

const LIMITS = { ms: 10_000, rows: 1000, bytes: 1 << 20 };
/** The statement means what it would in an application of the customer's. */
const OPTIONS = ['default_transaction_read_only=on', 'client_min_messages=error'];

interface Parts {
  readonly servers: AccountServers;
  readonly items: Items;
  readonly databases: Databases;
}
interface Asked {
  readonly database: string;
  readonly statement: string;
  readonly ip: string;
}

/**
 * Runs one statement as a user that is made for it and may only read the one database; with that user, the statement ends.
 * Errors: 404 `database_not_found`, 409 `request_in_progress`, 422 `query_failed` with the server's words.
 */
export async function runQuery(
  { servers, items, databases }: Parts,
  account: Account,
  asked: Asked,
): Promise<DatabaseQueryResult> {
  const { database, statement, ip } = asked;
  const found = await databases.find(account, database);
  return servers.with(found.server, account, async (server) => {
    const claimed = await items.claim(found, { kind: 'query', ip });
    return items.orAbandon(claimed, async () => {
      try {
        const login = { ...servers.login(found.server), ...(await makeTemporary(server, 'query', database)) };
        const limits = { connectMs: LIMITS.ms, queryMs: LIMITS.ms };
        const reader = await PostgresqlClient.open(login, database, limits, OPTIONS);
        try {
          await reader.query('start transaction read only');
          return await read(reader, statement);
        } finally {
          await reader.close();
        }
      } finally {
        await retireTemporary(server, 'query', database);
        await items.cancel(claimed);
      }
    });
  });
}

async function read(reader: PostgresqlClient, statement: string): Promise<DatabaseQueryResult> {
  const begun = performance.now();
  const { columns, rows, isCut } = await reader.rowsOf(statement, LIMITS).catch(refuse);
  return {
    columns: [...columns],
    rows: rows.map((row) => [...row]),
    truncated: isCut,
    ms: Math.round(performance.now() - begun),
  };
}

function refuse(error: unknown): never {
  const lost = `it takes longer than ${LIMITS.ms / 1000} seconds, its result is too long, or it was ended`;
  throw fail.query_failed(escapeControl(isVerdict(error) ? `${error.code}: ${error.message}` : lost), { cause: error });
}
