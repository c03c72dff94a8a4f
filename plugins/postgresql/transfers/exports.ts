import { streamed, type Stream } from '../../../kernel/contract/reply.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { Log } from '../../../kernel/log.ts';
import { sendDump } from '../../../kernel/kit/programs/dump-stream.ts';
import type { DatabaseTransfers } from '../../../kernel/kit/waiting/database-transfers.ts';
import type { Databases } from '../databases.ts';
import { fail } from '../errors.ts';
import { withTemporary, type TemporaryParts } from './temporary-transfer.ts';
import { dumpDatabase, PgDumpFailure } from './pg-dump.ts';

interface Parts extends TemporaryParts {
  readonly log: Log;
  readonly databases: Databases;
  readonly transfers: DatabaseTransfers;
}

/**
 * Resolves with a database as statements, compressed as they are read, by a user that is made for this; the program ends with `given`.
 * Errors: 404 `database_not_found`; 409 `request_in_progress`; 503 `databases_unavailable` for what fails before the first bytes, 503 `overloaded`.
 */
export async function exportDatabase(
  parts: Parts,
  account: Account,
  { database, ip, signal: given }: { readonly database: string; readonly ip: string; readonly signal: AbortSignal },
): Promise<Stream> {
  const found = await parts.databases.find(account, database);
  return new Promise((resolve, reject) => {
    const run = (signal: AbortSignal) =>
      withTemporary(parts, account, found, { kind: 'export', ip }, (login) =>
        sendDump({ database, plain: dumpDatabase(login, database, signal), signal, log: parts.log }, (file, headers) =>
          resolve(streamed('application/gzip', file, { headers })),
        ),
      );
    parts.transfers.run(account.id, given, run).catch((error: unknown) => reject(failureOf(error) as Error));
  });
}

function failureOf(error: unknown): unknown {
  if (!(error instanceof PgDumpFailure)) return error;
  return fail.databases_unavailable('pg_dump is missing, too old, or has failed', { cause: error });
}
