import { definePlugin } from '../../kernel/contract/plugin.ts';
import type { DatabaseServers, ManagedDatabases } from '../../kernel/areas/database-servers.ts';
import { SUSPENSIONS, eventWakers } from '../../kernel/contract/workers.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { changed } from '../../kernel/kit/databases/schema.ts';
import { DatabaseTransfers } from '../../kernel/kit/databases/database-transfers.ts';
import { startReconciling } from '../../kernel/kit/waiting/reconciling.ts';
import { AccountServers } from './account-servers.ts';
import { Changes } from './changes.ts';
import { Databases, ENGINE } from './databases.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { exportDatabase, readDump } from './transfers/exports.ts';
import { importDatabase } from './transfers/imports.ts';
import type { MaintenanceAction } from '../../kernel/kit/databases/table-maintenance.ts';
import { maintainDatabase } from './maintenance/maintenance.ts';
import { Processes } from './processes.ts';
import { runQuery } from './queries.ts';
import { recoverChanges } from './recovery.ts';
import { mysqlRoutes } from './routes.ts';
import * as schema from './schema.ts';
import { Suspensions } from './suspension.ts';
import { AccessRights } from './users/access-rights.ts';
import { databaseSessions } from './users/sessions.ts';
import { shown, UserChanges } from './users/user-changes.ts';
import { Writing } from './writing/writing.ts';

export default definePlugin({
  name: 'mysql',
  description: 'Databases, database users and their rights, on servers of MariaDB.',
  features: ['remote_mysql', 'mysql_import'],
  errors: fail,
  events,
  uses: ['databases'],
  config: schema.MysqlConfig,
  routes: mysqlRoutes,
  async setup(host) {
    const servers = new AccountServers(host.peer<DatabaseServers>('databases'));
    const changes = new Changes(host);
    const transfers = new DatabaseTransfers();
    host.onClose(() =>
      transfers.close(fail.databases_unavailable('the service is being reloaded or stopped', { retryAfterSeconds: 5 })),
    );
    const rights = new AccessRights({ ...host, changes });
    const writing = new Writing({ ...host, servers, rights });
    const parts = { ...host, servers, changes, transfers, rights, writing };
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
      const rule = {
        limit: account.plan?.limits['db_limit'] ?? 0,
        prefix: `${account.username}_`,
        size_limit_mib: account.plan?.limits['mysql_limit_mib'] ?? 0,
        is_writing_stopped: await writing.isStopped(account),
      };
      const server = servers.of(account);
      if (server === undefined) return { ...rule, databases: [], server: null };
      const [names, { socket, host: name, port }] = await Promise.all([databases.list(account), server.login()]);
      const reached = socket === '' ? { host: name, port, socket } : { host: 'localhost', port: 0, socket };
      return { ...rule, databases: names, server: reached };
    };
    return {
      service: {
        ...managedDatabases(servers),
        ...databaseSessions(servers, rights),
        users,
        sizeBytes: (account: Account) => servers.sizeBytes(account),
        clientHost: host.config.client_host,
        stopped: () => writing.stopped(),
        stopWriting: writing.stopWriting.bind(writing),
        resumeWriting: writing.resumeWriting.bind(writing),
      },
      handlers: {
        databases: ({ account }) => describe(account),
        create: async ({ account, body, ip }) => ({ name: await databases.create(account, body.name, ip) }),
        drop: ({ account, params, ip }) => changed(databases.drop(account, params.database, ip)),
        tables: ({ account, params }) => databases.tables(account, params.database),
        export: ({ account, params, query, signal }) => exportDatabase(parts, account, { ...params, ...query, signal }),
        import: ({ account, params: { database }, body, ip, signal }) =>
          changed(importDatabase(parts, account, { database, body, ip, signal })),
        query: ({ account, params: { database }, body, ip }) => runQuery(parts, account, { database, ...body, ip }),
        maintain: ({ account, params: { database }, body, ip, signal }) =>
          maintainDatabase(parts, account, { database, action: body.action as MaintenanceAction, ip, signal }),
        users: ({ account }) => listed(servers.of(account), () => users.list(account)),
        createUser: ({ account, body, ip }) => users.create(account, body, ip),
        renewPassword: ({ account, params, query, ip }) =>
          users.renewPassword(account, { name: params.user, ...query }, ip),
        dropUser: ({ account, params, query, ip }) => changed(users.drop(account, { name: params.user, ...query }, ip)),
        setAccess: ({ account, params: { user: name, database }, body: { host: from, privileges }, ip }) =>
          changed(users.setAccess(account, { name, host: from }, database, [...new Set(privileges)], ip)),
        revokeAccess: ({ account, params: { user: name, database }, query, ip }) =>
          changed(users.revokeAccess(account, { name, ...query }, database, ip)),
        processes: ({ account }) => listed(servers.of(account), () => processes.list(account)),
        endProcess: ({ account, params, ip }) => changed(processes.end(account, params.id, ip)),
      },
      provides: {
        databasesElsewhere: (account, engine) => (engine === ENGINE ? 0 : databases.count(account)),
        databaseBackups: () => ({
          engine: ENGINE,
          names: (account) => listed(servers.of(account), () => databases.list(account)),
          create: (account, suffix, ip) => databases.create(account, suffix, ip),
          dump: (account, database, { signal }, read) => readDump(parts, account, { database, signal }, read),
          restore: (account, database, run) => importDatabase(parts, account, { database, ...run }),
        }),
      },
    };
  },
});

const managedDatabases = (servers: AccountServers): ManagedDatabases => ({
  isManaged: (account) => servers.of(account) !== undefined,
  with: (account, work) =>
    servers.with(account, async ({ client, ownNames }) => {
      const own = await ownNames();
      return work({ client, databases: own.databases.toSorted(), users: await shown(client, own) });
    }),
});

/** Resolves with an empty list for an account whose databases are managed elsewhere. */
async function listed<T>(server: unknown, list: () => Promise<T[]>): Promise<T[]> {
  return server === undefined ? [] : list();
}
