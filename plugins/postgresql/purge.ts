import type { PurgePart } from '../../kernel/contract/points/purge-part.ts';
import type { AccountServers } from './server/account-servers.ts';
import { prefixFor } from './databases.ts';
import type { Owner } from './items/items.ts';
import { dropDatabase } from '../../kernel/kit/databases/postgresql/databases.ts';
import { DATABASES, groupFor, LEVELS } from '../../kernel/kit/databases/postgresql/names.ts';
import { customersRoles, dropRole, type ServerConnections } from '../../kernel/kit/databases/postgresql/roles.ts';

/** Drops what a removed account has at its server: what has its prefix, and was made here. */
export async function purgeDatabases(
  servers: AccountServers,
  account: Owner,
  signal: AbortSignal,
): Promise<PurgePart[]> {
  const name = servers.nameFor(account);
  if (name === undefined) return [];
  return servers.open(name, async (server) => {
    const prefix = prefixFor(account);
    const roles = await customersRoles(server.main, 'starts_with(r.rolname, $2)', prefix);
    const groups = new Set(roles.flatMap((role) => databasesOf(role)));
    const databases = new Set([...groups, ...(await owned(server, prefix))]);
    const removed = { databases: 0, users: 0 };
    for (const database of databases) {
      signal.throwIfAborted();
      await dropDatabase(server, database);
      removed.databases += 1;
    }
    for (const role of roles.filter((each) => databasesOf(each).length === 0)) {
      signal.throwIfAborted();
      await dropRole(server, role);
      removed.users += 1;
    }
    return [
      { what: 'PostgreSQL databases', removed: removed.databases },
      { what: 'PostgreSQL users', removed: removed.users },
    ];
  });
}

async function owned({ main }: ServerConnections, prefix: string): Promise<string[]> {
  const rows = await main.query<{ name: string }>(
    `select datname as name from pg_database d join pg_roles o on o.oid = d.datdba
      where o.rolname = $1 and starts_with(datname, $2)`,
    [DATABASES, prefix],
  );
  return rows.map(({ name }) => name);
}

/** Returns the database of which a role is a group. */
function databasesOf(role: string): string[] {
  return LEVELS.flatMap((level) => {
    const suffix = groupFor('', level);
    return role.endsWith(suffix) ? [role.slice(0, -suffix.length)] : [];
  });
}
