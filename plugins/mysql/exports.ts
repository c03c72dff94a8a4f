import type { Log } from '../../kernel/log.ts';
import { streamed, type Stream } from '../../kernel/contract/reply.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { dumpDatabase } from '../../kernel/kit/programs/mariadb-programs.ts';
import { sendDump } from '../../kernel/kit/programs/dump-stream.ts';
import type { DatabaseTransfers } from '../../kernel/kit/waiting/database-transfers.ts';
import type { AccountServers } from './account-servers.ts';
import { assertOwn } from './databases.ts';
import { programFailure } from './program-failure.ts';

const OPTIONS = ['--routines', '--events', '--triggers'];

interface Parts {
  readonly log: Log;
  readonly servers: AccountServers;
  readonly transfers: DatabaseTransfers;
}

/**
 * Resolves with a database as statements, compressed as they are read; the program ends with `given`. Errors: 404
 * `database_not_found`; 503 `databases_unavailable` for what fails before the first bytes, 503 `overloaded`.
 */
export async function exportDatabase(
  { log, servers, transfers }: Parts,
  account: Account,
  database: string,
  given: AbortSignal,
): Promise<Stream> {
  const login = await servers.with(account, async ({ ownNames, login: read }) => {
    assertOwn(await ownNames(), database);
    return read();
  });
  return new Promise((resolve, reject) => {
    const run = (signal: AbortSignal) => {
      const plain = dumpDatabase(login, { database, options: OPTIONS }, signal);
      return sendDump({ database, plain, signal, log }, (file, headers) =>
        resolve(streamed('application/gzip', file, { headers })),
      );
    };
    transfers.run(account.id, given, run).catch((error: unknown) => reject(programFailure(error) as Error));
  });
}
