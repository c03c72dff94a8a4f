import { definePlugin } from '../../kernel/contract/plugin.ts';
import type { DatabaseServers } from '../../kernel/areas/database-servers.ts';
import { parseUnit, type AccountDatabases } from './account-databases.ts';
import { databaseUsage, DatabaseSources, serverName } from './database-sources.ts';
import { fail } from './errors.ts';
import { purgeDatabases } from './purge.ts';
import { accessServers } from './server-access.ts';
import { DatabaseCount, DatabasesConfig, DatabaseSize, DatabaseSizes, SizeQuery, SizesQuery } from './schema.ts';

const features = ['mysql', 'databases_size_info'];
const UNAVAILABLE = ['databases_unavailable'] as const;

export default definePlugin({
  name: 'databases',
  description: "Number and sizes of the account's databases.",
  keepsByName: true,
  features,
  errors: fail,
  config: DatabasesConfig,
  routes: {
    usage: {
      method: 'GET',
      path: '/api/docker_databases',
      at: 'home',
      summary: "Get the number of the account's databases",
      description: 'Without system databases. The number is text, as the interface of the service has it.',
      reply: DatabaseCount,
      errors: UNAVAILABLE,
    },
    size: {
      method: 'GET',
      path: '/api/database-size',
      at: 'home',
      feature: 'databases_size_info',
      summary: 'Get the size of one database',
      description: 'Data and indexes, as the server reports them; of an SQLite file, its size.',
      query: SizeQuery,
      reply: DatabaseSize,
      errors: ['database_not_found', ...UNAVAILABLE],
    },
    sizes: {
      method: 'GET',
      path: '/api/mysql-size',
      at: 'home',
      feature: 'databases_size_info',
      summary: "List the account's databases and their sizes",
      description: 'Sizes are at most a few seconds old; Last-Modified is the time of the measurement.',
      query: SizesQuery,
      reply: DatabaseSizes,
      errors: ['invalid_unit', ...UNAVAILABLE],
    },
  },
  async setup({ config: given, ...host }) {
    const { identity, node, onClose } = host;
    const { config, leftOut } = node.isDemo
      ? await (await import('./local-server.ts')).withLocalServer(given)
      : { config: given, leftOut: undefined };
    const sources = new DatabaseSources(config, features, host);
    onClose(() => sources.close());
    let canMove = false;
    const service: DatabaseServers = {
      ...accessServers(config, identity.accounts),
      takeMoves: () => void (canMove = true),
      sizeBytes: async (account) =>
        (await sources.databasesOf(account)).own.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    };
    return {
      service,
      handlers: {
        usage: ({ account }) => whenKnown(sources.databasesOf(account), (databases) => databases.usage),
        size: ({ account, query }) =>
          whenKnown(sources.databasesOf(account), (databases) => databases.size(query.database)),
        sizes: ({ account, query }) => {
          const unit = parseUnit(query.unit);
          return whenKnown(sources.databasesOf(account), (databases) => databases.sizes(unit, query.show_all));
        },
      },
      provides: {
        dashboard: (account) =>
          account.features.has('mysql')
            ? whenKnown(sources.databasesOf(account), ({ own }) => ({ db_usage: own.length }))
            : {},
        accountReport: async (account) => {
          const { own } = await sources.databasesOf(account);
          return { usage: [databaseUsage(account, own.length)] };
        },
        accountsUsage: (accounts) => sources.known(accounts),
        software: ({ username }) => (serverName(config, username) === '' ? {} : { mysql: 'mysql' }),
        move: () => ({
          obstacles: async (account) => {
            const server = serverName(config, account.username);
            if (server === '') return [];
            const { own } = await sources.databasesOf(account); // if its server answers
            if (canMove || own.length === 0) return [];
            return [`it has databases on the server ${server}: ${own.map(({ name }) => name).join(', ')}`];
          },
        }),
        purge: (account, signal) => purgeDatabases(config, identity.accounts, account, signal),
        metrics: () => sources.metrics(),
        doctor: () => sources.findings(),
        health: () => sources.health(),
        demo: async (context) => (await import('./demo.ts')).createDemoFiles(context),
        demoOutside: async (context) =>
          leftOut === undefined
            ? (await import('./demo.ts')).createDemoDatabases(config, context, onClose)
            : { leftOut: [leftOut] },
      },
    };
  },
});

/** Calls `reply` without a promise where the databases are known already. */
function whenKnown<T>(
  databases: AccountDatabases | Promise<AccountDatabases>,
  reply: (databases: AccountDatabases) => T,
): T | Promise<T> {
  return databases instanceof Promise ? databases.then(reply) : reply(databases);
}
