import { databaseFail } from '../errors.ts';
import { readOutput, LOGIN_FD, startTransfer } from '../../programs/transfer-program.ts';
import type { PostgresqlLogin } from './client.ts';

/** Owners are those of the database that a dump is loaded into. */
const OPTIONS = ['--no-password', '--no-owner', '--no-publications', '--no-subscriptions'];
/** So are rights, where no users go along. */
export const NO_RIGHTS = '--no-privileges';

const failure = (message: string, cause?: unknown) =>
  databaseFail.databases_unavailable('pg_dump is missing, too old, or has failed', {
    cause: new Error(message, { cause }),
  });

/** A database as SQL statements. Errors: 503 `databases_unavailable` if the program is missing, or has failed. */
export async function* dumpDatabase(
  { host, port, user, password }: PostgresqlLogin,
  { database, options }: { readonly database: string; readonly options: readonly string[] },
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const where = [`--host=${host}`, `--port=${port}`, `--username=${user}`, `--dbname=${connectionOf(database)}`];
  const env = { PGPASSFILE: `/dev/fd/${LOGIN_FD}`, PGAPPNAME: 'hostkeep', PGSSLMODE: 'prefer' };
  const login = `*:*:*:*:${password.replace(/[\\:]/g, '\\$&')}\n`;
  yield* readOutput(start());

  function start() {
    try {
      return startTransfer(
        'pg_dump',
        [...OPTIONS, ...options, ...where],
        { login, env, failure: (message) => failure(message) },
        signal,
      );
    } catch (error) {
      signal.throwIfAborted();
      throw failure('pg_dump cannot be started: apt-get install postgresql-client', error);
    }
  }
}

/** Returns a connection string, since a name of a database may be taken for one. */
const connectionOf = (database: string): string => `dbname='${database.replace(/['\\]/g, '\\$&')}'`;
