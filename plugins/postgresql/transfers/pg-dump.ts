import { readOutput, LOGIN_FD, startTransfer } from '../../../kernel/kit/programs/transfer-program.ts';
import type { PostgresqlLogin } from '../server/client.ts';

/** Owners and rights are those of the database that a dump is loaded into. */
const OPTIONS = ['--no-password', '--no-owner', '--no-privileges', '--no-publications', '--no-subscriptions'];

/** The program is missing, or has failed. */
export class PgDumpFailure extends Error {}

/** A database as SQL statements. Rejects with `PgDumpFailure`. */
export async function* dumpDatabase(
  { host, port, user, password }: PostgresqlLogin,
  { database, options }: { readonly database: string; readonly options: readonly string[] },
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const where = [`--host=${host}`, `--port=${port}`, `--username=${user}`, `--dbname=${connectionOf(database)}`];
  const failure = (message: string) => new PgDumpFailure(message);
  const env = { PGPASSFILE: `/dev/fd/${LOGIN_FD}`, PGAPPNAME: 'hostkeep', PGSSLMODE: 'prefer' };
  const login = `*:*:*:*:${password.replace(/[\\:]/g, '\\$&')}\n`;
  yield* readOutput(start());

  function start() {
    try {
      return startTransfer('pg_dump', [...OPTIONS, ...options, ...where], { login, env, failure }, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw new PgDumpFailure(`pg_dump cannot be started: apt-get install postgresql-client`, { cause: error });
    }
  }
}

/** Returns a connection string, since a name of a database may be taken for one. */
const connectionOf = (database: string): string => `dbname='${database.replace(/['\\]/g, '\\$&')}'`;
