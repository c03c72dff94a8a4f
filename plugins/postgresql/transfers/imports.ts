import type { IncomingBody } from '../../../kernel/contract/incoming-body.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { boundedBytes, gunzipped, isGzipFailure } from '../../../kernel/kit/waiting/byte-streams.ts';
import type { DatabaseTransfers } from '../../../kernel/kit/databases/database-transfers.ts';
import type { Databases } from '../databases.ts';
import { databaseFail as fail } from '../../../kernel/kit/databases/errors.ts';
import { loadDump } from './load.ts';
import { withTemporary, type TemporaryParts } from './temporary-transfer.ts';

const ARCHIVE = 'PGDMP';

export interface ImportParts extends TemporaryParts {
  readonly databases: Databases;
  readonly transfers: DatabaseTransfers;
  readonly config: { readonly import_max_bytes: number; readonly connect_timeout_ms: number };
}
interface Asked {
  readonly database: string;
  readonly body: IncomingBody;
  readonly ip: string;
  readonly signal: AbortSignal;
}
/**
 * Runs the statements of a dump, which may be compressed with gzip, as a user that is made for this. Errors: 404
 * `database_not_found`; 409 `request_in_progress`; 422 `import_failed` with the line, where all before it stays; 503
 * `databases_unavailable`, `overloaded`.
 */
export async function importDatabase(parts: ImportParts, account: Account, asked: Asked): Promise<void> {
  const { servers, databases, transfers, config } = parts;
  const { database, body, ip } = asked;
  const found = await databases.find(account, database);
  const most = config.import_max_bytes;
  const tooMuch = () => fail.import_failed(`a dump has at most ${most} bytes`);
  if ((body.sizeBytes ?? 0) > most) throw tooMuch();
  await transfers.run(account.id, asked.signal, (signal) =>
    withTemporary(parts, account, found, { kind: 'import', ip }, async (login) => {
      const dump = statements(boundedBytes(gunzipped(body), most, tooMuch));
      try {
        await loadDump(login, database, { connectMs: config.connect_timeout_ms, queryMs: 0 }, dump, signal);
      } catch (error) {
        if (!isGzipFailure(error)) throw servers.failureAt(found.server, error);
        throw fail.import_failed('the file is not whole, or it is not compressed with gzip', { cause: error });
      }
    }),
  );
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
