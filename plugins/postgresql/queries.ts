import type { Account } from '../../kernel/identity/accounts/account.ts';
import { answerQuery, QUERY_LIMITS as LIMITS } from '../../kernel/kit/databases/queries.ts';
import type { DatabaseQueryResult } from '../../kernel/kit/databases/schema.ts';
import { isVerdict, PostgresqlClient } from '../../kernel/kit/databases/postgresql/client.ts';
import { withTemporary, type TemporaryParts, type Use } from './temporary-users/temporary-work.ts';

/** The statement means what it would in an application of the customer's. */
const OPTIONS = {
  ...{ connectMs: LIMITS.ms, queryMs: LIMITS.ms },
  settings: ['default_transaction_read_only=on', 'client_min_messages=error'],
};

/**
 * Runs one statement as a user that is made for it and may only read the one database; with that user, the statement ends.
 * Errors: 404 `database_not_found`, 409 `request_in_progress`, 422 `query_failed` with the server's words.
 */
export function runQuery(
  parts: TemporaryParts,
  account: Account,
  { statement, ...use }: Use & { readonly statement: string },
): Promise<DatabaseQueryResult> {
  return withTemporary(parts, account, { kind: 'query', ...use }, (login) =>
    PostgresqlClient.use(login, { ...OPTIONS, database: use.database }, async (reader) => {
      await reader.query('start transaction read only');
      return answerQuery(() => reader.rowsOf(statement, LIMITS), String, refusal);
    }),
  );
}

function refusal(error: unknown): string {
  if (isVerdict(error)) return `${error.code}: ${error.message}`;
  return `it takes longer than ${LIMITS.ms / 1000} seconds, its result is too long, or it was ended`;
}
