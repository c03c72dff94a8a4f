import type { RouteSpecs } from '../../kernel/contract/route-spec.ts';
import { Bytes } from '../../kernel/contract/incoming-body.ts';
import { MaintainedTables } from '../../kernel/kit/databases/table-maintenance.ts';
import { Type } from '../../kernel/schema.ts';
import * as schema from './schema.ts';

/** The feature is that of the plugin `databases`, without which there is nothing to manage. */
const shared = { at: 'home', feature: { any: [], all: ['mysql'] } } as const;
const SERVER = ['databases_not_managed', 'databases_unavailable'] as const;
const CHANGED = ['database_user_not_found', 'request_in_progress', ...SERVER] as const;

export const mysqlRoutes = {
  databases: {
    ...shared,
    method: 'GET',
    path: '/api/databases',
    summary: "List the account's databases, and how to reach them",
    description: 'GET /api/mysql-size has their sizes.',
    reply: schema.DatabaseList,
    errors: ['databases_unavailable'],
  },
  create: {
    ...shared,
    method: 'POST',
    path: '/api/databases',
    idempotencyKey: 'kept',
    summary: 'Create a database',
    description: "Its name begins with the account's prefix. Counts against `db_limit` of the plan.",
    body: schema.NewDatabase,
    reply: schema.OneDatabase,
    status: 201,
    errors: ['invalid_database_name', 'database_exists', 'database_limit_reached', 'request_in_progress', ...SERVER],
  },
  drop: {
    ...shared,
    method: 'DELETE',
    path: '/api/databases/:database',
    summary: 'Drop a database with all that is in it',
    description: "The rights of the account's users on it go, too.",
    params: schema.DatabaseParams,
    reply: schema.Done,
    errors: ['database_not_found', 'request_in_progress', ...SERVER],
  },
  tables: {
    ...shared,
    method: 'GET',
    path: '/api/databases/:database/tables',
    summary: 'List the tables and views of a database, with rows and sizes',
    description: 'As the server estimates them.',
    params: schema.DatabaseParams,
    reply: schema.DatabaseTables,
    errors: ['database_not_found', ...SERVER],
  },
  export: {
    ...shared,
    method: 'GET',
    path: '/api/databases/:database/export',
    summary: 'Export a database',
    description:
      'Tables, views, triggers, routines and events as SQL statements, compressed with gzip. If the server fails meanwhile, ' +
      'the connection is broken off.',
    params: schema.DatabaseParams,
    produces: ['application/gzip'],
    reply: Type.Unknown(),
    errors: ['database_not_found', 'overloaded', ...SERVER],
  },
  import: {
    ...shared,
    feature: { any: [], all: ['mysql', 'mysql_import'] },
    method: 'POST',
    path: '/api/databases/:database/import',
    summary: 'Import a dump into a database',
    description:
      'The body is SQL statements, plain or compressed with gzip. They run as a database user with rights on this database ' +
      'only; views, triggers, routines and events become its own. A statement that fails ends the import, and the problem ' +
      'names its line; those before it stay.',
    params: schema.DatabaseParams,
    body: Bytes,
    reply: schema.Done,
    errors: ['database_not_found', 'request_in_progress', 'import_failed', 'overloaded', ...SERVER],
  },
  query: {
    ...shared,
    method: 'POST',
    path: '/api/databases/:database/query',
    summary: 'Read from a database with a statement',
    description:
      'Runs one SQL statement, which can only read, and only this database. It has 10 seconds; the first 1,000 rows, or those ' +
      'of the first MiB, are returned.',
    params: schema.DatabaseParams,
    body: schema.NewQuery,
    reply: schema.QueryResult,
    errors: ['database_not_found', 'request_in_progress', 'query_failed', ...SERVER],
  },
  maintain: {
    ...shared,
    method: 'POST',
    path: '/api/databases/:database/maintenance',
    summary: 'Optimize, check or repair the tables of a database',
    description:
      'One table after the other, each for 10 minutes at most; what writes to it meanwhile may wait. A request that is given up ' +
      'ends what runs. `optimize` makes tables of InnoDB anew. `repair` checks each table, and repairs those that are damaged, ' +
      'which InnoDB does not support.',
    params: schema.DatabaseParams,
    body: schema.NewMaintenance,
    reply: MaintainedTables,
    errors: ['database_not_found', 'request_in_progress', 'overloaded', ...SERVER],
  },
  users: {
    ...shared,
    method: 'GET',
    path: '/api/database-users',
    summary: "List the account's database users and their rights",
    description:
      "Those whose names begin with the account's prefix. One that has rights beyond its databases is the operator's, and " +
      'is left out.',
    reply: schema.DatabaseUsers,
    errors: ['databases_unavailable'],
  },
  createUser: {
    ...shared,
    method: 'POST',
    path: '/api/database-users',
    idempotencyKey: 'refused',
    summary: 'Create a database user',
    description:
      'The password is made here, and shown now only. The user has no rights yet. A host other than that of the ' +
      'account’s applications needs the feature `remote_mysql`.',
    body: schema.NewDatabaseUser,
    reply: schema.UserSecret,
    status: 201,
    errors: [
      'invalid_database_name',
      'invalid_database_host',
      'remote_access_disabled',
      'database_user_exists',
      'database_users_limit_reached',
      'request_in_progress',
      ...SERVER,
    ],
  },
  renewPassword: {
    ...shared,
    method: 'POST',
    path: '/api/database-users/:user/password',
    idempotencyKey: 'refused',
    summary: 'Give a database user a new password',
    description: 'The password is made here, and shown now only. Connections stay open.',
    params: schema.UserParams,
    query: schema.UserQuery,
    reply: schema.UserSecret,
    errors: CHANGED,
  },
  dropUser: {
    ...shared,
    method: 'DELETE',
    path: '/api/database-users/:user',
    summary: 'Drop a database user',
    description: 'Its connections are closed.',
    params: schema.UserParams,
    query: schema.UserQuery,
    reply: schema.Done,
    errors: CHANGED,
  },
  setAccess: {
    ...shared,
    method: 'PUT',
    path: '/api/database-users/:user/databases/:database',
    summary: 'Set the rights of a database user on a database',
    description: 'From then on it has these on the whole database, and no others. Rights on single tables stay.',
    params: schema.AccessParams,
    body: schema.NewAccess,
    reply: schema.Done,
    errors: ['database_not_found', ...CHANGED],
  },
  revokeAccess: {
    ...shared,
    method: 'DELETE',
    path: '/api/database-users/:user/databases/:database',
    summary: 'Take the rights of a database user on a database away',
    description: 'Those on this database alone: rights that the operator gave on several at once stay.',
    params: schema.AccessParams,
    query: schema.UserQuery,
    reply: schema.Done,
    errors: ['database_not_found', 'database_access_not_found', ...CHANGED],
  },
  processes: {
    ...shared,
    method: 'GET',
    path: '/api/database-processes',
    summary: "List what the account's database users are doing",
    description: 'Connections and the statements that they run, as the server shows them.',
    reply: schema.DatabaseProcesses,
    errors: ['databases_unavailable'],
  },
  endProcess: {
    ...shared,
    method: 'DELETE',
    path: '/api/database-processes/:id',
    summary: 'End a process of a database user, and close its connection',
    description: 'What its transaction has changed is taken back.',
    params: schema.ProcessParams,
    reply: schema.Done,
    errors: ['database_process_not_found', ...SERVER],
  },
} as const satisfies RouteSpecs;
