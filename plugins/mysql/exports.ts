import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import type { Log } from '../../kernel/log.ts';
import { streamed, type Stream } from '../../kernel/contract/reply.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { dumpDatabase } from '../../kernel/kit/programs/mariadb-programs.ts';
import type { AccountServers } from './account-servers.ts';
import { assertOwn } from './databases.ts';
import { programFailure, type Transfers } from './transfers.ts';

const OPTIONS = ['--routines', '--events', '--triggers'];

interface Parts {
  readonly log: Log;
  readonly servers: AccountServers;
  readonly transfers: Transfers;
}

/**
 * Resolves with a database as statements, compressed as they are read; the program ends with `signal`. Errors: 404
 * `database_not_found`; 503 `databases_unavailable` for what fails before the first bytes, 503 `overloaded`.
 */
export async function exportDatabase(
  { log, servers, transfers }: Parts,
  account: Account,
  database: string,
  signal: AbortSignal,
): Promise<Stream> {
  const login = await servers.with(account, async ({ ownNames, login: read }) => {
    assertOwn(await ownNames(), database);
    return read();
  });
  return new Promise((resolve, reject) => {
    const run = async (alive: AbortSignal): Promise<void> => {
      const plain = dumpDatabase(login, { database, options: OPTIONS }, alive);
      const first = await plain.next(); // what fails at once is refused
      const gzip = createGzip({ level: constants.Z_BEST_SPEED }); // to keep up with the server
      resolve(streamed('application/gzip', gzip, { headers: headersFor(database) }));
      await pipeline(startingWith(first, plain), gzip, { signal: alive }).catch((err: unknown) => {
        if (!alive.aborted) log.warn({ err, database }, 'an export was broken off');
      });
    };
    transfers.run(account, signal, run).catch((error: unknown) => reject(programFailure(error) as Error));
  });
}

const headersFor = (database: string) => ({
  'Cache-Control': 'private, no-store',
  'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(database).replaceAll("'", '%27')}.sql.gz`,
});

async function* startingWith<T>(first: IteratorResult<T>, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}
