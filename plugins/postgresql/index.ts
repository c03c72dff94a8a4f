import { definePlugin } from '../../kernel/contract/plugin.ts';
import type { LimitedDatabases, PostgresqlServers } from '../../kernel/areas/database-servers.ts';
import { SUSPENSIONS, eventWakers } from '../../kernel/contract/workers.ts';
import { startReconciling } from '../../kernel/kit/waiting/reconciling.ts';
import { changed } from '../../kernel/kit/databases/schema.ts';
import type { MaintenanceAction } from '../../kernel/kit/databases/table-maintenance.ts';
import { DatabaseTransfers } from '../../kernel/kit/databases/database-transfers.ts';
import { archivedUsers } from './users/archived-users.ts';
import { AccountServers } from './server/account-servers.ts';
import { recoverChanges } from './items/changes.ts';
import { Databases, ENGINE } from './databases.ts';
import { findings } from './doctor.ts';
import { databaseFail as fail } from '../../kernel/kit/databases/errors.ts';
import { events } from './events.ts';
import { Items } from './items/items.ts';
import { ServerStates } from './metrics.ts';
import { maintainDatabase } from './maintenance.ts';
import { Processes } from './server/processes.ts';
import { purgeDatabases } from './purge.ts';
import { runQuery } from './queries.ts';
import { postgresqlRoutes } from './routes.ts';
import * as schema from './schema.ts';
import { lockSuspended } from './suspension.ts';
import { databaseBackups } from './transfers/backups.ts';
import { exportDatabase } from './transfers/exports.ts';
import { importDatabase } from './transfers/imports.ts';
import { Users } from './users/users.ts';
import { Writing } from './writing/writing.ts';

export default definePlugin({
  name: 'postgresql',
  description: 'Databases, database users and their rights, on servers of PostgreSQL.',
  keepsByName: true,
  features: ['postgresql'],
  errors: fail,
  events,
  config: schema.PostgresqlConfig,
  routes: postgresqlRoutes,
  async setup({ config: given, ...rest }) {
    const { config, leftOut } = rest.node.isDemo
      ? await (await import('./demo.ts')).withLocalServer(given)
      : { config: given, leftOut: undefined };
    const host = { ...rest, config };
    const servers = new AccountServers(config);
    const states = new ServerStates(servers);
    const items = new Items(host);
    const writing = new Writing({ ...host, servers, items });
    const databases = new Databases({ ...host, servers, items, writing });
    const users = new Users({ ...host, servers, items, databases });
    const transfers = new DatabaseTransfers();
    host.onClose(() =>
      transfers.close(fail.databases_unavailable('the service is being reloaded or stopped', { retryAfterSeconds: 5 })),
    );
    const parts = { ...host, servers, items, databases, transfers, writing };
    const processes = new Processes(parts);
    if (host.node.isServing)
      await host.node.onLeader(() => {
        const wakers = eventWakers(host, SUSPENSIONS);
        startReconciling({ ...host, wakers, subject: 'databases and users of PostgreSQL' }, async (attempt) => {
          await recoverChanges(parts, attempt);
          await lockSuspended(parts, attempt);
        });
      });
    let canMove = false;
    const service: PostgresqlServers & LimitedDatabases = {
      isManaged: (account) => writing.isManaged(account),
      sizeBytes: (account) => writing.sizeBytes(account),
      stopped: () => writing.stopped(),
      stopWriting: (account, size, isThorough) => writing.stopWriting(account, size, isThorough),
      resumeWriting: (account, limitMib) => writing.resumeWriting(account, limitMib),
      limits: host.config,
      connectMs: host.config.connect_timeout_ms,
      serverFor: (username) => servers.nameFor({ username }),
      open: (server, work) => servers.open(server, work),
      login: (server) => servers.login(server),
      items: (account) => items.all(account),
      takeMoves: () => void (canMove = true),
    };
    return {
      service,
      handlers: {
        databases: ({ account }) => databases.list(account),
        create: async ({ account, body, ip }) => ({ name: await databases.create(account, body.name, ip) }),
        drop: ({ account, params, ip }) => changed(databases.drop(account, params.database, ip)),
        tables: ({ account, params }) => databases.tables(account, params.database),
        export: ({ account, params, query, ip, signal }) =>
          exportDatabase(parts, account, { ...params, ...query, ip, signal }),
        import: ({ account, params, body, ip, signal }) =>
          changed(importDatabase(parts, account, { ...params, body, ip, signal })),
        query: ({ account, params, body, ip }) => runQuery(parts, account, { ...params, ...body, ip }),
        maintain: ({ account, params, body, ip, signal }) =>
          maintainDatabase(parts, account, { ...params, action: body.action as MaintenanceAction, ip, signal }),
        users: ({ account }) => users.list(account),
        createUser: ({ account, body, ip }) => users.create(account, body.name, ip),
        renewPassword: ({ account, params, ip }) => users.renewPassword(account, params.user, ip),
        dropUser: ({ account, params, ip }) => changed(users.drop(account, params.user, ip)),
        setAccess: ({ account, params, body, ip }) =>
          changed(users.setAccess(account, params.user, params.database, body.level as schema.Level, ip)),
        revokeAccess: ({ account, params, ip }) =>
          changed(users.revokeAccess(account, params.user, params.database, ip)),
        processes: ({ account }) => processes.list(account),
        endProcess: ({ account, params, ip }) => changed(processes.end(account, params.id, ip)),
      },
      provides: {
        dashboard: async (account) =>
          account.features.has('postgresql') ? { db_usage: await items.count(account, 'database') } : {},
        databasesElsewhere: (account, engine) => (engine === ENGINE ? 0 : items.count(account, 'database')),
        databaseBackups: () => databaseBackups(parts),
        archive: () => archivedUsers(users),
        purge: (account, signal) => purgeDatabases(servers, account, signal),
        move: () => ({
          obstacles: async (account) => {
            const found = canMove ? [] : await items.all(account);
            if (found.length === 0) return [];
            return [`it has databases or users of PostgreSQL: ${found.map(({ name }) => name).join(', ')}`];
          },
        }),
        doctor: () => findings(servers),
        health: () => states.check(),
        metrics: () => states.metrics(items),
        demoOutside: async (people) =>
          leftOut === undefined
            ? (await import('./demo.ts')).createDemoDatabase({ ...parts, users }, people, host.onClose)
            : { leftOut: [leftOut] },
      },
    };
  },
});
