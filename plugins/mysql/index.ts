import { Bytes } from '../../kernel/contract/incoming-body.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import type { DatabaseServers } from '../../kernel/contract/points/database-servers.ts';
import { SUSPENSIONS, eventWakers } from '../../kernel/contract/workers.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { DatabaseTransfers } from '../../kernel/kit/databases/database-transfers.ts';
import { MaintainedTables } from '../../kernel/kit/databases/table-maintenance.ts';
import { startReconciling } from '../../kernel/kit/waiting/reconciling.ts';
import { Type } from '../../kernel/schema.ts';
import { AccountServers } from './account-servers.ts';
import { Changes } from './changes.ts';
import { Databases, ENGINE } from './databases.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { exportDatabase, readDump } from './transfers/exports.ts';
import { importDatabase } from './transfers/imports.ts';
import type { MaintenanceAction } from './maintenance/actions.ts';
import { maintainDatabase } from './maintenance/maintenance.ts';
import { Processes } from './processes.ts';
import { runQuery } from './queries.ts';
import { recoverChanges } from './recovery.ts';
import * as schema from './schema.ts';
import { Suspensions } from './suspension.ts';
import { UserChanges } from './users/user-changes.ts';

/** The feature is that of the plugin `databases`, without which there is nothing to manage. */
const shared = { at: 'home', feature: { any: [], all: ['mysql'] } } as const;
const SERVER = ['databases_not_managed', 'databases_unavailable'] as const;
const CHANGED = ['database_user_not_found', 'request_in_progress', ...SERVER] as const;
const DONE = { changed: true } as const;

export default definePlugin({
  name: 'mysql',
  description: 'Databases, database users and their rights, on servers of MariaDB.',
  features: ['remote_mysql', 'mysql_import'],
  errors: fail,
  events,
  uses: ['databases'],
  config: schema.MysqlConfig,
  routes: {
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
  },
  async setup(host) {
    const servers = new AccountServers(host.peer<DatabaseServers>('databases'));
    const changes = new Changes(host);
    const transfers = new DatabaseTransfers();
    host.onClose(() =>
      transfers.close(fail.databases_unavailable('the service is being reloaded or stopped', { retryAfterSeconds: 5 })),
    );
    const parts = { ...host, servers, changes, transfers };
    const [databases, users, processes] = [new Databases(parts), new UserChanges(parts), new Processes(parts)];
    const suspensions = new Suspensions(parts);
    if (host.node.isServing)
      await host.node.onLeader(() => {
        const wakers = eventWakers(host, SUSPENSIONS);
        startReconciling({ ...host, wakers, subject: 'databases and database users' }, async (attempt) => {
          await recoverChanges(parts, attempt);
          await suspensions.reconcile(attempt);
        });
      });
    const describe = async (account: Account): Promise<schema.DatabaseList> => {
      const shown = { limit: account.plan?.limits['db_limit'] ?? 0, prefix: `${account.username}_` };
      const server = servers.of(account);
      if (server === undefined) return { ...shown, databases: [], server: null };
      const [names, { socket, host: name, port }] = await Promise.all([databases.list(account), server.login()]);
      const reached = socket === '' ? { host: name, port, socket } : { host: 'localhost', port: 0, socket };
      return { ...shown, databases: names, server: reached };
    };
    return {
      handlers: {
        databases: ({ account }) => describe(account),
        create: async ({ account, body, ip }) => ({ name: await databases.create(account, body.name, ip) }),
        drop: ({ account, params, ip }) => done(databases.drop(account, params.database, ip)),
        tables: ({ account, params }) => databases.tables(account, params.database),
        export: ({ account, params, signal }) => exportDatabase(parts, account, params.database, signal),
        import: ({ account, params: { database }, body, ip, signal }) =>
          done(importDatabase(parts, account, { database, body, ip, signal })),
        query: ({ account, params: { database }, body, ip }) => runQuery(parts, account, { database, ...body, ip }),
        maintain: ({ account, params: { database }, body, ip, signal }) =>
          maintainDatabase(parts, account, { database, action: body.action as MaintenanceAction, ip, signal }),
        users: ({ account }) => listed(servers.of(account), () => users.list(account)),
        createUser: ({ account, body, ip }) => users.create(account, body, ip),
        renewPassword: ({ account, params, query, ip }) =>
          users.renewPassword(account, { name: params.user, ...query }, ip),
        dropUser: ({ account, params, query, ip }) => done(users.drop(account, { name: params.user, ...query }, ip)),
        setAccess: ({ account, params: { user: name, database }, body: { host: from, privileges }, ip }) =>
          done(users.setAccess(account, { name, host: from }, database, [...new Set(privileges)], ip)),
        revokeAccess: ({ account, params: { user: name, database }, query, ip }) =>
          done(users.revokeAccess(account, { name, ...query }, database, ip)),
        processes: ({ account }) => listed(servers.of(account), () => processes.list(account)),
        endProcess: ({ account, params, ip }) => done(processes.end(account, params.id, ip)),
      },
      provides: {
        databasesElsewhere: (account, engine) => (engine === ENGINE ? 0 : databases.count(account)),
        databaseBackups: () => ({
          engine: ENGINE,
          names: (account) => listed(servers.of(account), () => databases.list(account)),
          dump: (account, database, { signal }, read) => readDump(parts, account, { database, signal }, read),
          restore: (account, database, run) => importDatabase(parts, account, { database, ...run }),
        }),
      },
    };
  },
});

/** Resolves with an empty list for an account whose databases are managed elsewhere. */
async function listed<T>(server: unknown, list: () => Promise<T[]>): Promise<T[]> {
  return server === undefined ? [] : list();
}

async function done(change: Promise<void>): Promise<typeof DONE> {
  await change;
  return DONE;
}
