import { streamed, type Stream } from '../../../kernel/contract/reply.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { compressedDump } from '../../../kernel/kit/databases/dump-stream.ts';
import type { DatabaseTransfers } from '../../../kernel/kit/databases/database-transfers.ts';
import type { Log } from '../../../kernel/log.ts';
import { withTemporary, type TemporaryParts, type Use } from '../temporary-users/temporary-work.ts';
import { dumpDatabase, NO_RIGHTS } from '../../../kernel/kit/databases/postgresql/pg-dump.ts';

export interface ExportParts extends TemporaryParts {
  readonly log: Log;
  readonly transfers: DatabaseTransfers;
}
interface Asked extends Use {
  readonly signal: AbortSignal;
}

/**
 * Calls `read` with a database as statements, by a user that is made for this, and a signal that ends with what is left to read. Errors:
 * 404 `database_not_found`; 409 `request_in_progress`; 503 `databases_unavailable`, `overloaded`; those of `read`.
 */
export function readDump(
  parts: Omit<ExportParts, 'log'>,
  account: Account,
  { signal: given, options = [], ...use }: Asked & { readonly options?: readonly string[] },
  read: (dump: AsyncGenerator<Buffer>, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  return parts.transfers.run(account.id, given, (signal) =>
    withTemporary(parts, account, { kind: 'export', ...use }, (login) =>
      read(dumpDatabase(login, { database: use.database, options: [NO_RIGHTS, ...options] }, signal), signal),
    ),
  );
}

/**
 * Resolves with a database as statements, compressed as they are read; the program ends with the signal. Errors: those of `readDump`, for
 * what fails before the first bytes.
 */
export async function exportDatabase(
  parts: ExportParts,
  account: Account,
  asked: Asked & { readonly format: string },
): Promise<Stream> {
  const about = { ...asked, log: parts.log };
  const { file, type, headers } = await compressedDump(about, (use) => readDump(parts, account, asked, use));
  return streamed(type, file, { headers });
}
