import { createHash } from 'node:crypto';
import type { PostgresqlLogin } from '../../kernel/kit/databases/postgresql/client.ts';
import { dumpDatabase } from '../../kernel/kit/databases/postgresql/pg-dump.ts';
import type { ServerConnections } from '../../kernel/kit/databases/postgresql/roles.ts';
import { identifier as id } from '../../kernel/kit/databases/postgresql/sql-text.ts';
import { makeTemporaryUser } from '../../kernel/kit/databases/postgresql/temporary-user.ts';

/** No name that an account can choose ends so. */
export const dumperFor = (database: string): string => `${database}-move`;

/** Of a dump, in which the key is. */
const HEAD = 4096;
const TAIL = 256;
/** By which psql knows where a dump ends: it is another one in each. */
const KEY = /^\\restrict (\w{1,200})$/m;

/**
 * Makes the user that dumps a database, by `pg_dump` and not by the login in the settings: what a customer has made there is never
 * read as a superuser. It may read all that the account's users own, and rows that a policy hides from them. Resolves with its login.
 */
export async function makeDumper(
  connections: ServerConnections,
  database: string,
  users: readonly string[],
): Promise<Pick<PostgresqlLogin, 'user' | 'password'>> {
  const name = dumperFor(database);
  const login = await makeTemporaryUser(connections, name, { database, level: 'owner', seconds: 0 });
  await connections.main.transaction([
    `alter role ${id(name)} bypassrls`,
    `alter role ${id(name)} in database ${id(database)} reset role`,
    ...users.map((user) => `grant ${id(user)} to ${id(name)}`),
  ]);
  return login;
}

/** A database with its rights as statements. */
export const movedDump = (login: PostgresqlLogin, database: string, signal: AbortSignal): AsyncGenerator<Buffer> =>
  dumpDatabase(login, { database, options: [] }, signal);

/** Passes a dump on, and calls `done` at its end with what is the same for two dumps of the same contents. */
export async function* digested(dump: AsyncIterable<Buffer>, done: (digest: string) => void): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let key: string | undefined;
  let isHead = true;
  let held = '';
  const take = (end?: number) => {
    if (isHead) key = KEY.exec(held)?.[1];
    isHead = false;
    held = key === undefined ? held : held.replaceAll(key, '');
    hash.update(held.slice(0, end), 'latin1');
    held = end === undefined ? '' : held.slice(end);
  };
  for await (const chunk of dump) {
    held += chunk.toString('latin1');
    if (held.length >= HEAD) take(-TAIL);
    yield chunk;
  }
  take();
  done(hash.digest('base64url'));
}
