import { streamed, type Stream } from '../../../kernel/contract/reply.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { Log } from '../../../kernel/log.ts';
import { sendDump } from '../../../kernel/kit/databases/dump-stream.ts';
import type { DatabaseTransfers } from '../../../kernel/kit/databases/database-transfers.ts';
import type { Databases } from '../databases.ts';
import { databaseFail as fail } from '../../../kernel/kit/databases/errors.ts';
import { withTemporary, type TemporaryParts } from './temporary-transfer.ts';
import { dumpDatabase, PgDumpFailure } from './pg-dump.ts';

export interface ExportParts extends TemporaryParts {
  readonly log: Log;
  readonly databases: Databases;
  readonly transfers: DatabaseTransfers;
}

interface Asked {
  readonly database: string;
  readonly ip: string;
  readonly signal: AbortSignal;
}

/**
 * Calls `read` with a database as statements, by a user that is made for this, and a signal that ends with what is left to read. Errors:
 * 404 `database_not_found`; 409 `request_in_progress`; 503 `databases_unavailable`, `overloaded`; those of `read`.
 */
export async function readDump(
  parts: Omit<ExportParts, 'log'>,
  account: Account,
  { database, ip, signal: given, options = [] }: Asked & { readonly options?: readonly string[] },
  read: (dump: AsyncGenerator<Buffer>, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const found = await parts.databases.find(account, database);
  const run = (signal: AbortSignal) =>
    withTemporary(parts, account, found, { kind: 'export', ip }, (login) =>
      read(dumpDatabase(login, { database, options }, signal), signal),
    );
  await parts.transfers.run(account.id, given, run).catch((error: unknown) => {
    throw failureOf(error);
  });
}

/**
 * Resolves with a database as statements, compressed as they are read; the program ends with the signal. Errors: those of `readDump`, for
 * what fails before the first bytes.
 */
export async function exportDatabase(parts: ExportParts, account: Account, asked: Asked): Promise<Stream> {
  const { database } = asked;
  return new Promise((resolve, reject) => {
    readDump(parts, account, asked, (plain, signal) =>
      sendDump({ database, plain, signal, log: parts.log }, (file, headers) =>
        resolve(streamed('application/gzip', file, { headers })),
      ),
    ).catch(reject);
  });
}

function failureOf(error: unknown): unknown {
  if (!(error instanceof PgDumpFailure)) return error;
  return fail.databases_unavailable('pg_dump is missing, too old, or has failed', { cause: error });
}
