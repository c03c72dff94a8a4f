import type { Log } from '../../../kernel/log.ts';
import { streamed, type Stream } from '../../../kernel/contract/reply.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { dumpDatabase } from '../../../kernel/kit/databases/mariadb-programs.ts';
import { compressedDump } from '../../../kernel/kit/databases/dump-stream.ts';
import { programFailure } from '../../../kernel/kit/databases/mariadb/program-failure.ts';
import type { DatabaseTransfers } from '../../../kernel/kit/databases/database-transfers.ts';
import type { AccountServers } from '../account-servers.ts';
import { assertOwn } from '../databases.ts';

const OPTIONS = ['--routines', '--events', '--triggers'];

interface Parts {
  readonly log: Log;
  readonly servers: AccountServers;
  readonly transfers: DatabaseTransfers;
}

/**
 * Calls `read` with a database as statements, which drop the tables that they make, and a signal that ends with what is left to read.
 * Errors: 404 `database_not_found`, 503 `databases_unavailable`, `overloaded`, those of `read`.
 */
export async function readDump(
  { servers, transfers }: Pick<Parts, 'servers' | 'transfers'>,
  account: Account,
  { database, signal: given }: { readonly database: string; readonly signal: AbortSignal },
  read: (dump: AsyncGenerator<Buffer>, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const login = await servers.with(account, async ({ ownNames, login: own }) => {
    assertOwn(await ownNames([database]), database);
    return own();
  });
  const run = (signal: AbortSignal) => read(dumpDatabase(login, { database, options: OPTIONS }, signal), signal);
  await transfers.run(account.id, given, run).catch((error: unknown) => {
    throw programFailure(error);
  });
}

/**
 * Resolves with a database as statements, compressed as they are read; the program ends with `signal`. Errors: those of `readDump`, for what
 * fails before the first bytes.
 */
export async function exportDatabase(
  parts: Parts,
  account: Account,
  asked: { readonly database: string; readonly format: string; readonly signal: AbortSignal },
): Promise<Stream> {
  const about = { ...asked, log: parts.log };
  const { file, type, headers } = await compressedDump(about, (use) => readDump(parts, account, asked, use));
  return streamed(type, file, { headers });
}
