import { isUtf8 } from 'node:buffer';
import { escapeControl } from '../../kernel/log.ts';
import type { DatabaseClient } from '../../kernel/contract/points/database-servers.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { identifier, isSqlError } from '../../kernel/kit/databases/mysql-text.ts';
import type { AccountServers } from './account-servers.ts';
import type { Changes } from './changes.ts';
import { assertOwn } from './databases.ts';
import { fail } from './errors.ts';
import type { DatabaseQueryResult } from '../../kernel/kit/databases/schema.ts';
import { makeTemporary, readOwnHost, retireTemporary } from './users/temporary-users.ts';

const LIMITS = { ms: 10_000, rows: 1000, bytes: 1 << 20 };
/** Shown of a value that is no text. */
const BINARY_BYTES = 32;

interface Parts {
  readonly servers: AccountServers;
  readonly changes: Changes;
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
export function runQuery({ servers, changes }: Parts, account: Account, asked: Asked): Promise<DatabaseQueryResult> {
  const { database, statement, ip } = asked;
  return servers.with(account, async ({ client, ownNames, openAs }) => {
    assertOwn(await ownNames(), database);
    const host = await readOwnHost(client);
    const claimed = await changes.claim(account, { kind: 'query', name: database, host, change: 'create', ip });
    try {
      const reader = await openAs(await makeTemporary(client, 'query', database, host));
      try {
        await reader.query(`use ${identifier(database)}`);
        await reader.query('start transaction read only');
        return await read(reader, statement);
      } finally {
        await reader.close();
      }
    } finally {
      await changes.orAbandon(claimed, () => retireTemporary(client, 'query', database, host));
      await changes.cancel(claimed);
    }
  });
}

async function read(reader: DatabaseClient, statement: string): Promise<DatabaseQueryResult> {
  const begun = performance.now();
  const { columns, rows, isCut } = await reader.table(statement.replace(/[;\s]+$/, ''), LIMITS).catch(refuse);
  return {
    columns: [...columns],
    rows: rows.map((row) => row.map((value) => (value === null ? null : shown(value)))),
    truncated: isCut,
    ms: Math.round(performance.now() - begun),
  };
}

function refuse(error: unknown): never {
  const isLate = error instanceof Error && 'code' in error && error.code === 'ETIMEDOUT';
  const lost = isLate ? `it takes longer than ${LIMITS.ms / 1000} seconds` : 'its result is too long, or it was ended';
  const detail = isSqlError(error) ? `${error.errno}: ${error.message}` : lost;
  throw fail.query_failed(escapeControl(detail), { cause: error });
}

function shown(value: Buffer): string {
  if (isUtf8(value)) return value.toString();
  return `0x${value.toString('hex', 0, BINARY_BYTES)}${value.length > BINARY_BYTES ? '…' : ''}`;
}
