import type { IncomingBody } from '../../../kernel/contract/incoming-body.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { DatabaseTransfers } from '../../../kernel/kit/databases/database-transfers.ts';
import { dumpText } from '../../../kernel/kit/databases/dump-stream.ts';
import { databaseFail as fail } from '../../../kernel/kit/databases/errors.ts';
import { whileGoingOn } from '../../../kernel/kit/databases/size-limit.ts';
import type { Writing } from '../writing/writing.ts';
import { withTemporary, type TemporaryParts, type Use } from '../temporary-users/temporary-work.ts';
import { ABOUT_RIGHTS, loadDump } from '../../../kernel/kit/databases/postgresql/load.ts';

const ARCHIVE = 'PGDMP';

export interface ImportParts extends TemporaryParts {
  readonly transfers: DatabaseTransfers;
  readonly writing: Writing;
  readonly config: { readonly import_max_bytes: number; readonly connect_timeout_ms: number };
}
interface Asked extends Use {
  readonly body: IncomingBody;
  readonly signal: AbortSignal;
}
/**
 * Runs the statements of a dump, which may be compressed, as a user that is made for this. Errors: 404
 * `database_not_found`; 409 `request_in_progress`, `database_size_limit_reached`; 422 `import_failed` with the line, where all before it stays; 503
 * `databases_unavailable`, `overloaded`.
 */
export async function importDatabase(
  parts: ImportParts,
  account: Account,
  { body, signal: given, ...use }: Asked,
): Promise<void> {
  const { import_max_bytes: most, connect_timeout_ms: connectMs } = parts.config;
  const dump = statements(dumpText(body, most));
  const load = (signal: AbortSignal) =>
    withTemporary(parts, account, { kind: 'import', ...use }, (login) =>
      loadDump(login, { database: use.database, connectMs, queryMs: 0, leftOut: ABOUT_RIGHTS }, dump, signal),
    );
  await parts.transfers.run(account.id, given, (signal) => whileGoingOn(parts.writing, account, signal, load));
}

/** Refuses what only `pg_restore` reads. */
async function* statements(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst && Buffer.from(chunk).toString('latin1', 0, ARCHIVE.length) === ARCHIVE)
      throw fail.import_failed('this is an archive of pg_dump: make the dump as SQL, with --format=plain');
    isFirst = false;
    yield chunk;
  }
}
