import { definePlugin } from '../../kernel/plugin-api/plugin.ts';
import { errors } from './errors.ts';
import { fillDemo, showDatabases } from './demo.ts';
import { withLocalServer } from './demo-server.ts';
import { DatabasesConfig, DatabaseSize, SizeQuery, DatabaseSizes, SizesQuery, DatabaseCount } from './schema.ts';
import { DatabaseSources } from './sources.ts';
import { unitOf, type AccountDatabases } from './account-databases.ts';

const features = ['mysql', 'databases_size_info'];
const UNAVAILABLE = ['databases_unavailable'] as const;

export default definePlugin({
  name: 'databases',
  features,
  errors,
  config: DatabasesConfig,
  routes: {
    usage: {
      method: 'GET',
      path: '/api/docker_databases',
      summary: 'How many databases the account has',
      reply: DatabaseCount,
      errors: UNAVAILABLE,
    },
    size: {
      method: 'GET',
      path: '/api/database-size',
      feature: features,
      summary: 'Size of one database',
      query: SizeQuery,
      reply: DatabaseSize,
      errors: ['database_not_found', ...UNAVAILABLE],
    },
    sizes: {
      method: 'GET',
      path: '/api/mysql-size',
      feature: features,
      summary: 'Databases of the account and their sizes',
      description: 'Sizes are at most a few seconds old; Last-Modified says when they were measured.',
      query: SizesQuery,
      reply: DatabaseSizes,
      errors: ['invalid_unit', ...UNAVAILABLE],
    },
  },
  async setup({ config: given, identity, log, node, onClose }) {
    const { config, leftOut } = node.isDemo ? await withLocalServer(given) : { config: given };
    const sources = new DatabaseSources(config, identity.accounts, log);
    onClose(() => sources.close());
    return {
      handlers: {
        usage: ({ account }) => later(sources.databasesOf(account), (view) => view.usage),
        size: ({ account, query }) => later(sources.databasesOf(account), (view) => view.size(query.database)),
        sizes: ({ account, query }) => {
          const unit = unitOf(query.unit);
          return later(sources.databasesOf(account), (view) => view.sizes(unit, query.show_all === 'true'));
        },
      },
      provides: {
        dashboard: (account) =>
          account.features.has('mysql')
            ? later(sources.databasesOf(account), (view) => ({ db_usage: view.own.length }))
            : {},
        metrics: () => sources.metrics(),
        doctor: () => sources.findings(),
        demo: (people) => fillDemo(people),
        demoOutside: (people) =>
          leftOut === undefined ? showDatabases(config, people, onClose) : { leftOut: [leftOut] },
      },
    };
  },
});

/** Keeps what is known already on the fast path. */
function later<T>(
  view: AccountDatabases | Promise<AccountDatabases>,
  answer: (view: AccountDatabases) => T,
): T | Promise<T> {
  return view instanceof Promise ? view.then(answer) : answer(view);
}
