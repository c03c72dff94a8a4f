import type { RouteSpecs } from '../../kernel/contract/route-spec.ts';
import { Bytes } from '../../kernel/contract/incoming-body.ts';
import { databaseRoutes } from '../../kernel/kit/databases/routes.ts';
import * as schema from './schema.ts';

const routes = databaseRoutes(
  { databases: '/api/postgresql/databases', users: '/api/postgresql/users', processes: '/api/postgresql/processes' },
  { database: 'PostgreSQL database', user: 'PostgreSQL user' },
  { at: 'home', feature: 'postgresql' },
  ['databases_unavailable'],
);

export const postgresqlRoutes = {
  ...routes,
  databases: { ...routes.databases, description: 'With their sizes.', reply: schema.DatabaseList },
  create: {
    ...routes.create,
    description:
      "Its name begins with the account's prefix. Counts against `db_limit` of the plan, together with databases of MariaDB.",
    errors: [
      ...['invalid_database_name', 'database_exists', 'database_limit_reached', 'database_size_limit_reached'],
      ...['databases_not_managed', 'databases_unavailable'],
    ],
  },
  drop: {
    ...routes.drop,
    description: "The rights of the account's users on it go, too, and connections to it are closed.",
  },
  tables: { ...routes.tables, reply: schema.DatabaseTables },
  export: {
    ...routes.export,
    description:
      'Everything in it as compressed SQL statements, without owners and rights. If the server fails meanwhile, the ' +
      'connection is broken off.',
    errors: ['database_not_found', 'request_in_progress', 'overloaded', 'databases_unavailable'],
  },
  import: {
    ...routes.import,
    description:
      'The body is SQL statements with rows to copy, as `pg_dump` writes them, plain or compressed with gzip or zstd. They run as a ' +
      'database user with rights on this database only; what they make is of its owners. Statements about owners and rights ' +
      'are left out, and commands of psql refused. A statement that fails ends the import, and the problem names its line; ' +
      'those before it stay.',
    body: Bytes,
    errors: [...routes.import.errors, 'database_size_limit_reached'],
  },
  maintain: {
    ...routes.maintain,
    summary: 'Optimize, check or repair the tables of a PostgreSQL database',
    description:
      'Frees the room of deleted rows for new ones, and renews what the planner knows of the tables, one after the other, each ' +
      'for 10 minutes at most. While the size of the plan is reached, tables are written anew, which gives the room back to the ' +
      'server; nobody uses a table meanwhile. A check finds values that cannot be read, and indexes that are not finished or were sorted ' +
      'by another version of a collation; a repair makes all indexes anew, and nobody writes to a table meanwhile. A request that is ' +
      'given up ends what runs.',
    body: schema.NewMaintenance,
  },
  users: { ...routes.users, description: 'Those that were made here.', reply: schema.DatabaseUsers },
  createUser: {
    ...routes.createUser,
    description:
      'The password is made here, and shown now only. The user has no rights yet. Counts against `db_users_limit`.',
    body: schema.NewDatabaseUser,
    reply: schema.UserSecret,
    errors: [
      ...['invalid_database_name', 'database_user_exists', 'database_users_limit_reached'],
      ...['databases_not_managed', 'databases_unavailable'],
    ],
  },
  renewPassword: { ...routes.renewPassword, reply: schema.UserSecret },
  dropUser: {
    ...routes.dropUser,
    description: 'Its connections are closed. What it owns in databases is theirs from then on.',
  },
  setAccess: {
    ...routes.setAccess,
    description: 'They hold for all that is in the database now and later. Its connections to the database are closed.',
    body: schema.NewAccess,
  },
  revokeAccess: { ...routes.revokeAccess, description: 'Its connections to the database are closed.' },
  processes: {
    ...routes.processes,
    description: 'Connections and their latest statements.',
    reply: schema.DatabaseProcesses,
  },
} as const satisfies RouteSpecs;
