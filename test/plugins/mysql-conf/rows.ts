import type { PluginRows } from '../../support/plugin-rows.ts';

const NO_SERVER = 'without a server of MariaDB, databases are files, and nothing is managed';

const rows: PluginRows = {
  unwalked: { setCollation: NO_SERVER, setLimits: NO_SERVER, setVariable: NO_SERVER, resetVariable: NO_SERVER },
  opened: {
    ...{ show: 'mysql and mysql_conf', collations: 'mysql and mysql_conf' },
    ...{ setCollation: 'mysql and mysql_conf', setLimits: 'mysql and mysql_conf' },
  },
  answered: {
    ...({ show: 'home', collations: 'home', setCollation: 'home', setLimits: 'home' } as const),
    ...({ variables: 'node', setVariable: 'node', resetVariable: 'node' } as const),
  },
  bounded: {
    show: 'databases and users of an account, by its plan and the settings',
    collations: 'as many as the server of MariaDB has',
    variables: 'as many as the settings have servers, with a fixed list each',
  },
  pages: { '/console/database-servers': [] },
  isolation: { unmarked: { show: 'empty lists', collations: 'an empty list' } },
  examples: {
    requests: {
      setCollation: { collation: 'utf8mb4_unicode_ci' },
      setVariable: { value: '67108864' },
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
      setVariable: { changed: true },
      resetVariable: { changed: true },
      variables: {
        servers: [
          {
            name: 'main',
            problem: null,
            variables: [
              {
                name: 'max_allowed_packet',
                value: '67108864',
                kind: 'integer',
                default: '16777216',
                minimum: 1_048_576,
                maximum: 1_073_741_824,
                choices: [],
                set_value: '67108864',
                files_value: '16777216',
                changed_by: 'operator',
                changed_at: '2026-11-20T09:30:00.000Z',
              },
            ],
          },
        ],
      },
      setCollation: { changed: true },
      setLimits: { changed: true },
    },
  },
  accountTables: {
    mysql_collation_changes: 'changes on their way',
    mysql_user_limits: 'archived',
  },
};
export default rows;
