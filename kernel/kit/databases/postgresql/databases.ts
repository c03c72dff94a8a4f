import type { PostgresqlClient } from './client.ts';
import { DATABASES, groupFor, LEVELS } from './names.ts';
import { defaultPrivileges, dropRole, hasRole, makeGroup, makeMarks, type ServerConnections } from './roles.ts';
import { identifier as id } from './sql-text.ts';

interface Found {
  readonly isManaged: boolean;
}

/** Resolves with whether there is a database of a name, and whether it is a customer's. */
export async function findDatabase(main: PostgresqlClient, name: string): Promise<Found | undefined> {
  const [row] = await main.query<{ isManaged: boolean }>(
    `select o.rolname = $2 as "isManaged" from pg_database d join pg_roles o on o.oid = d.datdba where d.datname = $1`,
    [name, DATABASES],
  );
  return row;
}

/** Resolves with whether a database of a name, or one of its groups, is there. */
export async function isTaken(main: PostgresqlClient, name: string): Promise<boolean> {
  if ((await findDatabase(main, name)) !== undefined) return true;
  for (const level of LEVELS) if (await hasRole(main, groupFor(name, level))) return true;
  return false;
}

/** Resolves with the sizes of databases, in bytes. */
export async function readSizes(
  main: PostgresqlClient,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await main.query<{ name: string; bytes: string }>(
    `select datname as name, pg_database_size(oid)::text as bytes from pg_database
      where datname in (select json_array_elements_text($1::json))`,
    [JSON.stringify(names)],
  );
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}

/**
 * Makes a database with its groups; what is there of it already stays. Nobody can connect to it before it has the rights that
 * it keeps.
 */
export async function makeDatabase(server: ServerConnections, name: string): Promise<void> {
  const { main } = server;
  await makeMarks(main);
  for (const level of LEVELS) await makeGroup(main, groupFor(name, level));
  if ((await findDatabase(main, name)) === undefined)
    await main.query(
      `create database ${id(name)} owner ${id(DATABASES)} template template0 encoding 'UTF8' connection limit 0`,
    );
  const [owner, reading, writing] = [
    id(groupFor(name, 'owner')),
    id(groupFor(name, 'read_only')),
    id(groupFor(name, 'read_write')),
  ];
  await main.transaction([
    `revoke all on database ${id(name)} from public`,
    `grant connect, create, temporary on database ${id(name)} to ${owner}`,
    `grant connect, temporary on database ${id(name)} to ${writing}`,
    `grant connect on database ${id(name)} to ${reading}`,
  ]);
  await server.inside(name, (client) =>
    client.transaction([
      `alter schema public owner to ${owner}`,
      'revoke all on schema public from public',
      `grant usage on schema public to ${reading}, ${writing}`,
      ...defaultPrivileges(groupFor(name, 'owner'), name),
    ]),
  );
  await main.query(`alter database ${id(name)} connection limit -1`);
}

/** Drops a database with all that is in it and its groups, unless they are gone; connections to it are closed. */
export async function dropDatabase(server: ServerConnections, name: string): Promise<void> {
  const { main } = server;
  if ((await findDatabase(main, name))?.isManaged === true) {
    await main.query(`alter database ${id(name)} connection limit 0`);
    await main.query(`drop database if exists ${id(name)} with (force)`);
  }
  for (const level of LEVELS) await dropRole(server, groupFor(name, level));
}
