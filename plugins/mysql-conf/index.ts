import { definePlugin } from '../../kernel/contract/plugin.ts';
import type { DatabaseServers, ManagedDatabases } from '../../kernel/areas/database-servers.ts';
import { eventWakers } from '../../kernel/contract/workers.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { userText } from '../../kernel/kit/databases/mysql-text.ts';
import { startReconciling } from '../../kernel/kit/waiting/reconciling.ts';
import { CollationChanges } from './collations/collation-changes.ts';
import { readCollations, readDatabaseTexts } from './collations/collations.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { mysqlConfRoutes } from './routes.ts';
import { MysqlConfConfig, type DatabaseSettings } from './schema.ts';
import { archivedLimits } from './users/archived-limits.ts';
import { connectionsLimit, readLimits } from './users/limits.ts';
import { UserLimitChanges } from './users/user-limits.ts';
import { readCustomerValues } from './variables/customer-values.ts';
import { VariableChanges } from './variables/variable-changes.ts';

/** How soon what other processes changed, such as the command line, is seen. */
const KEEP_MS = 30_000;
const NEW_USER = 'database_user.created';
const CHANGES = new Set([NEW_USER, 'account.changed', 'account.moved', 'plan.changed']);

export default definePlugin({
  name: 'mysql-conf',
  description: 'Settings of databases and limits of their users, on servers of MariaDB.',
  features: ['mysql_conf'],
  errors: fail,
  events,
  uses: ['databases', 'mysql'],
  config: MysqlConfConfig,
  routes: mysqlConfRoutes,
  async setup(host) {
    const managed = host.peer<ManagedDatabases>('mysql') ?? NOT_MANAGED;
    const parts = { ...host, managed };
    const variables = new VariableChanges({ ...host, servers: host.peer<DatabaseServers>('databases') });
    let problem: () => string | undefined = () => undefined;
    const [limits, collations] = [new UserLimitChanges(parts), new CollationChanges(parts)];
    if (host.node.isServing)
      await host.node.onLeader(() => {
        host.onClose(
          host.events.listen(({ type, account_id: id }) => {
            if (type === NEW_USER && id !== null) limits.forget(id);
          }),
        );
        const wakers = eventWakers(host, CHANGES);
        startReconciling({ ...host, wakers, everyMs: KEEP_MS, subject: 'settings of databases' }, async (attempt) => {
          await collations.recover(attempt);
          await limits.reconcile(attempt);
        });
        problem = startReconciling({ ...host, wakers: [], subject: 'variables of database servers' }, (attempt) =>
          variables.reconcile(attempt),
        );
      });
    const show = async (account: Account): Promise<DatabaseSettings> => {
      const most = { connections_limit: connectionsLimit(account) };
      if (!managed.isManaged(account)) return { ...most, is_managed: false, databases: [], users: [], server: [] };
      return managed.with(account, async ({ client, databases, users }) => {
        const inForce = await readLimits(client, users);
        const shown = users.flatMap(({ name, host: from }) => {
          const found = inForce.get(userText({ name, host: from }));
          return found === undefined ? [] : [{ name, host: from, limits: found }];
        });
        return {
          ...most,
          is_managed: true,
          databases: await readDatabaseTexts(client, databases),
          users: shown,
          server: await readCustomerValues(client),
        };
      });
    };
    return {
      handlers: {
        show: ({ account }) => show(account),
        collations: ({ account }) =>
          listed(managed.isManaged(account), () => managed.with(account, ({ client }) => readCollations(client))),
        setCollation: async ({ account, params: { database }, body: { collation }, ip }) => {
          await collations.set(account, { name: database, collation, ip });
          return { changed: true };
        },
        setLimits: async ({ account, params: { user: name }, body: { host: from, ...own }, ip }) => {
          await limits.set(account, { name, host: from }, own, ip);
          return { changed: true };
        },
        variables: () => variables.list(),
        setVariable: async ({ account: { username }, params, body: { value }, ip }) => {
          await variables.set({ ...params, username, ip }, value);
          return { changed: true };
        },
        resetVariable: async ({ account: { username }, params, ip }) => {
          await variables.reset({ ...params, username, ip });
          return { changed: true };
        },
      },
      provides: {
        archive: () => archivedLimits(host.store, limits),
        health: () => {
          const detail = problem();
          return detail === undefined
            ? []
            : [{ name: 'variables', ok: false, detail, remedy: 'look at the database servers in the console' }];
        },
      },
    };
  },
});

/** Resolves with an empty list for an account whose databases are managed elsewhere. */
async function listed<T>(isManaged: boolean, list: () => Promise<T[]>): Promise<T[]> {
  return isManaged ? list() : [];
}

const NOT_MANAGED: ManagedDatabases = {
  isManaged: () => false,
  with: () => Promise.reject(fail.databases_not_managed('databases are not managed on this server')),
};
