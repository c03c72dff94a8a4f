import type { PluginRows } from '../../support/plugin-rows.ts';

const NO_SERVER = 'without a server of MariaDB, databases are files, and nothing is managed';

const rows: PluginRows = {
  unwalked: { setCollation: NO_SERVER, setLimits: NO_SERVER },
  opened: {
    ...{ show: 'mysql and mysql_conf', collations: 'mysql and mysql_conf' },
    ...{ setCollation: 'mysql and mysql_conf', setLimits: 'mysql and mysql_conf' },
  },
  answered: 'home',
  bounded: {
    show: 'databases and users of an account, by its plan and the settings',
    collations: 'as many as the server of MariaDB has',
  },
  isolation: { unmarked: { show: 'empty lists', collations: 'an empty list' } },
  examples: {
    requests: {
      setCollation: { collation: 'utf8mb4_unicode_ci' },
      setLimits: {
        connections: 10,
        statement_seconds: 30,
        queries_per_hour: 0,
        updates_per_hour: 0,
        connections_per_hour: 0,
      },
    },
    invented: {
      show: {
        is_managed: true,
        databases: [{ name: 'demo_shop', character_set: 'utf8mb4', collation: 'utf8mb4_general_ci' }],
        users: [
          {
            name: 'demo_app',
            host: 'localhost',
            limits: {
              connections: 10,
              statement_seconds: 30,
              queries_per_hour: 0,
              updates_per_hour: 0,
              connections_per_hour: 0,
            },
          },
        ],
        connections_limit: 20,
        server: [
          { name: 'max_allowed_packet', value: '16777216' },
          { name: 'time_zone', value: 'SYSTEM' },
        ],
      },
      collations: [
        { collation: 'latin1_swedish_ci', character_set: 'latin1', is_default: true },
        { collation: 'utf8mb4_unicode_ci', character_set: 'utf8mb4', is_default: false },
      ],
      setCollation: { changed: true },
      setLimits: { changed: true },
    },
  },
};
export default rows;
