import type { RouteSpecs } from '../../kernel/contract/route-spec.ts';
import { Bytes } from '../../kernel/contract/incoming-body.ts';
import { databaseRoutes } from '../../kernel/kit/databases/routes.ts';
import * as schema from './schema.ts';

const SERVER = ['databases_not_managed', 'databases_unavailable'] as const;
const routes = databaseRoutes(
  { databases: '/api/databases', users: '/api/database-users', processes: '/api/database-processes' },
  { database: 'database', user: 'database user' },
  // the feature is that of the plugin `databases`, without which there is nothing to manage
  { at: 'home', feature: { any: [], all: ['mysql'] } },
  SERVER,
);

export const mysqlRoutes = {
  ...routes,
  databases: { ...routes.databases, description: 'GET /api/mysql-size has their sizes.', reply: schema.DatabaseList },
  create: {
    ...routes.create,
    description: "Its name begins with the account's prefix. Counts against `db_limit` of the plan.",
    errors: [
      'invalid_database_name',
      'database_exists',
      'database_limit_reached',
      'database_size_limit_reached',
      'request_in_progress',
      ...SERVER,
    ],
  },
  drop: { ...routes.drop, description: "The rights of the account's users on it go, too." },
  tables: { ...routes.tables, reply: schema.DatabaseTables },
  export: {
    ...routes.export,
    description:
      'Tables, views, triggers, routines and events as compressed SQL statements. If the server fails meanwhile, ' +
      'the connection is broken off.',
    errors: ['database_not_found', 'overloaded', ...SERVER],
  },
  import: {
    ...routes.import,
    feature: { any: [], all: ['mysql', 'mysql_import'] },
    description:
      'The body is SQL statements, plain or compressed with gzip or zstd. They run as a database user with rights on this database ' +
      'only; views, triggers, routines and events become its own. A statement that fails ends the import, and the problem ' +
      'names its line; those before it stay.',
    body: Bytes,
    errors: [...routes.import.errors, 'database_size_limit_reached'],
  },
  maintain: {
    ...routes.maintain,
    summary: 'Optimize, check or repair the tables of a database',
    description:
      'One table after the other, each for 10 minutes at most; what writes to it meanwhile may wait. A request that is given up ' +
      'ends what runs. `optimize` makes tables of InnoDB anew. `repair` checks each table, and repairs those that are damaged, ' +
      'which InnoDB does not support.',
    body: schema.NewMaintenance,
  },
  users: {
    ...routes.users,
    description:
      "Those whose names begin with the account's prefix. One that has rights beyond its databases is the operator's, and " +
      'is left out.',
    reply: schema.DatabaseUsers,
  },
  createUser: {
    ...routes.createUser,
    description:
      'The password is made here, and shown now only. The user has no rights yet. Counts against `db_users_limit`. A host other than that of the ' +
      'account’s applications needs the feature `remote_mysql`.',
    body: schema.NewDatabaseUser,
    reply: schema.UserSecret,
    errors: [
      ...['invalid_database_name', 'invalid_database_host', 'remote_access_disabled', 'database_user_exists'],
      ...['database_users_limit_reached', 'request_in_progress', ...SERVER],
    ],
  },
  renewPassword: { ...routes.renewPassword, query: schema.UserQuery, reply: schema.UserSecret },
  dropUser: { ...routes.dropUser, description: 'Its connections are closed.', query: schema.UserQuery },
  setAccess: {
    ...routes.setAccess,
    description: 'From then on it has these on the whole database, and no others. Rights on single tables stay.',
    body: schema.NewAccess,
  },
  revokeAccess: {
    ...routes.revokeAccess,
    description: 'Those on this database alone: rights that the operator gave on several at once stay.',
    query: schema.UserQuery,
  },
  processes: {
    ...routes.processes,
    description: 'Connections and the statements that they run, as the server shows them.',
    reply: schema.DatabaseProcesses,
  },
} as const satisfies RouteSpecs;
