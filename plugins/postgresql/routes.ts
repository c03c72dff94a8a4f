import type { RouteSpecs } from '../../kernel/contract/route-spec.ts';
import { Bytes } from '../../kernel/contract/incoming-body.ts';
import { MaintainedTables } from '../../kernel/kit/databases/table-maintenance.ts';
import { Type } from '../../kernel/schema.ts';
import * as schema from './schema.ts';

const shared = { at: 'home', feature: 'postgresql' } as const;
const SERVER = ['databases_not_managed', 'databases_unavailable'] as const;
const CHANGED = ['database_user_not_found', 'request_in_progress', 'databases_unavailable'] as const;

export const postgresqlRoutes = {
  databases: {
    ...shared,
    method: 'GET',
    path: '/api/postgresql/databases',
    summary: "List the account's PostgreSQL databases, and how to reach them",
    description: 'With their sizes.',
    reply: schema.DatabaseList,
    errors: ['databases_unavailable'],
  },
  create: {
    ...shared,
    method: 'POST',
    path: '/api/postgresql/databases',
    idempotencyKey: 'kept',
    summary: 'Create a PostgreSQL database',
    description:
      "Its name begins with the account's prefix. Counts against `db_limit` of the plan, together with databases of MariaDB.",
    body: schema.NewDatabase,
    reply: schema.OneDatabase,
    status: 201,
    errors: ['invalid_database_name', 'database_exists', 'database_limit_reached', ...SERVER],
  },
  drop: {
    ...shared,
    method: 'DELETE',
    path: '/api/postgresql/databases/:database',
    summary: 'Drop a PostgreSQL database with all that is in it',
    description: "The rights of the account's users on it go, too, and connections to it are closed.",
    params: schema.DatabaseParams,
    reply: schema.Done,
    errors: ['database_not_found', 'request_in_progress', 'databases_unavailable'],
  },
  tables: {
    ...shared,
    method: 'GET',
    path: '/api/postgresql/databases/:database/tables',
    summary: 'List the tables and views of a PostgreSQL database, with rows and sizes',
    description: 'As the server estimates them.',
    params: schema.DatabaseParams,
    reply: schema.DatabaseTables,
    errors: ['database_not_found', 'databases_unavailable'],
  },
  export: {
    ...shared,
    method: 'GET',
    path: '/api/postgresql/databases/:database/export',
    summary: 'Export a PostgreSQL database',
    description:
      'Everything in it as SQL statements, without owners and rights, compressed with gzip. If the server fails meanwhile, the ' +
      'connection is broken off.',
    params: schema.DatabaseParams,
    produces: ['application/gzip'],
    reply: Type.Unknown(),
    errors: ['database_not_found', 'request_in_progress', 'overloaded', 'databases_unavailable'],
  },
  import: {
    ...shared,
    method: 'POST',
    path: '/api/postgresql/databases/:database/import',
    summary: 'Import a dump into a PostgreSQL database',
    description:
      'The body is SQL statements with rows to copy, as `pg_dump` writes them, plain or compressed with gzip. They run as a ' +
      'database user with rights on this database only; what they make is of its owners. Statements about owners and rights ' +
      'are left out, and commands of psql refused. A statement that fails ends the import, and the problem names its line; ' +
      'those before it stay.',
    params: schema.DatabaseParams,
    body: Bytes,
    reply: schema.Done,
    errors: ['database_not_found', 'request_in_progress', 'import_failed', 'overloaded', 'databases_unavailable'],
  },
  query: {
    ...shared,
    method: 'POST',
    path: '/api/postgresql/databases/:database/query',
    summary: 'Read from a PostgreSQL database with a statement',
    description:
      'Runs one SQL statement, which can only read, and only this database. It has 10 seconds; the first 1,000 rows, or those ' +
      'of the first MiB, are returned.',
    params: schema.DatabaseParams,
    body: schema.NewQuery,
    reply: schema.QueryResult,
    errors: ['database_not_found', 'request_in_progress', 'query_failed', 'databases_unavailable'],
  },
  maintain: {
    ...shared,
    method: 'POST',
    path: '/api/postgresql/databases/:database/maintenance',
    summary: 'Optimize the tables of a PostgreSQL database',
    description:
      'Frees the room of deleted rows for new ones, and renews what the planner knows of the tables, one after the other, each ' +
      'for 10 minutes at most. A request that is given up ends what runs.',
    params: schema.DatabaseParams,
    body: schema.NewMaintenance,
    reply: MaintainedTables,
    errors: ['database_not_found', 'request_in_progress', 'overloaded', 'databases_unavailable'],
  },
  users: {
    ...shared,
    method: 'GET',
    path: '/api/postgresql/users',
    summary: "List the account's PostgreSQL users and their rights",
    description: 'Those that were made here.',
    reply: schema.DatabaseUsers,
    errors: ['databases_unavailable'],
  },
  createUser: {
    ...shared,
    method: 'POST',
    path: '/api/postgresql/users',
    idempotencyKey: 'refused',
    summary: 'Create a PostgreSQL user',
    description: 'The password is made here, and shown now only. The user has no rights yet.',
    body: schema.NewDatabaseUser,
    reply: schema.UserSecret,
    status: 201,
    errors: ['invalid_database_name', 'database_user_exists', 'database_users_limit_reached', ...SERVER],
  },
  renewPassword: {
    ...shared,
    method: 'POST',
    path: '/api/postgresql/users/:user/password',
    idempotencyKey: 'refused',
    summary: 'Give a PostgreSQL user a new password',
    description: 'The password is made here, and shown now only. Connections stay open.',
    params: schema.UserParams,
    reply: schema.UserSecret,
    errors: CHANGED,
  },
  dropUser: {
    ...shared,
    method: 'DELETE',
    path: '/api/postgresql/users/:user',
    summary: 'Drop a PostgreSQL user',
    description: 'Its connections are closed. What it owns in databases is theirs from then on.',
    params: schema.UserParams,
    reply: schema.Done,
    errors: CHANGED,
  },
  setAccess: {
    ...shared,
    method: 'PUT',
    path: '/api/postgresql/users/:user/databases/:database',
    summary: 'Set the rights of a PostgreSQL user on a database',
    description: 'They hold for all that is in the database now and later. Its connections to the database are closed.',
    params: schema.AccessParams,
    body: schema.NewAccess,
    reply: schema.Done,
    errors: ['database_not_found', ...CHANGED],
  },
  revokeAccess: {
    ...shared,
    method: 'DELETE',
    path: '/api/postgresql/users/:user/databases/:database',
    summary: 'Take the rights of a PostgreSQL user on a database away',
    description: 'Its connections to the database are closed.',
    params: schema.AccessParams,
    reply: schema.Done,
    errors: ['database_not_found', 'database_access_not_found', ...CHANGED],
  },
  processes: {
    ...shared,
    method: 'GET',
    path: '/api/postgresql/processes',
    summary: "List what the account's PostgreSQL users are doing",
    description: 'Connections and their latest statements.',
    reply: schema.DatabaseProcesses,
    errors: ['databases_unavailable'],
  },
  endProcess: {
    ...shared,
    method: 'DELETE',
    path: '/api/postgresql/processes/:id',
    summary: 'End a process of a PostgreSQL user, and close its connection',
    description: 'What its transaction has changed is taken back.',
    params: schema.ProcessParams,
    reply: schema.Done,
    errors: ['database_process_not_found', ...SERVER],
  },
} as const satisfies RouteSpecs;
