import type { PostgresqlClient } from './client.ts';
import { groupFor, LEVELS } from './names.ts';

export interface UserAccess {
  readonly user: string;
  readonly database: string;
  readonly level: (typeof LEVELS)[number];
}

/** Resolves with what these users may do with these databases, sorted by database. */
export async function readAccess(
  main: PostgresqlClient,
  users: readonly string[],
  databases: readonly string[],
): Promise<UserAccess[]> {
  const groups = new Map(
    databases.flatMap((database) => LEVELS.map((level) => [groupFor(database, level), { database, level }] as const)),
  );
  const rows = await main.query<{ name: string; member: string }>(
    `select g.rolname as name, u.rolname as member from pg_auth_members m
      join pg_roles g on g.oid = m.roleid join pg_roles u on u.oid = m.member
      where u.rolname in (select json_array_elements_text($1::json)) order by g.rolname collate "C"`,
    [JSON.stringify(users)],
  );
  return rows.flatMap(({ name, member }) => {
    const group = groups.get(name);
    return group === undefined ? [] : [{ user: member, ...group }];
  });
}
