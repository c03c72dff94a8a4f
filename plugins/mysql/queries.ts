import { isUtf8 } from 'node:buffer';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { identifier, isSqlError } from '../../kernel/kit/databases/mysql-text.ts';
import { answerQuery, QUERY_LIMITS as LIMITS } from '../../kernel/kit/databases/queries.ts';
import type { DatabaseQueryResult } from '../../kernel/kit/databases/schema.ts';
import { withTemporary, type TemporaryParts } from './temporary-work.ts';

/** Shown of a value that is no text. */
const BINARY_BYTES = 32;

interface Asked {
  readonly database: string;
  readonly statement: string;
  readonly ip: string;
}

/**
 * Runs one statement as a user that is made for it and may only read the one database; with that user, the statement ends.
 * Errors: 404 `database_not_found`, 409 `request_in_progress`, 422 `query_failed` with the server's words.
 */
export function runQuery(
  parts: TemporaryParts,
  account: Account,
  { database: name, statement, ip }: Asked,
): Promise<DatabaseQueryResult> {
  return withTemporary(parts, account, { kind: 'query', name, ip }, (login) =>
    parts.servers.as(account, login, LIMITS.ms, async (reader) => {
      await reader.query(`use ${identifier(name)}`);
      await reader.query('start transaction read only');
      return answerQuery(() => reader.table(statement.replace(/[;\s]+$/, ''), LIMITS), shown, refusal);
    }),
  );
}

function refusal(error: unknown): string {
  if (isSqlError(error)) return `${error.errno}: ${error.message}`;
  const isLate = error instanceof Error && 'code' in error && error.code === 'ETIMEDOUT';
  return isLate ? `it takes longer than ${LIMITS.ms / 1000} seconds` : 'its result is too long, or it was ended';
}

function shown(value: Buffer): string {
  if (isUtf8(value)) return value.toString();
  return `0x${value.toString('hex', 0, BINARY_BYTES)}${value.length > BINARY_BYTES ? '…' : ''}`;
}
