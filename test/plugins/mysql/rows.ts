import type { PluginRows } from '../../support/plugin-rows.ts';

const NO_SERVER = 'without a server of MariaDB, databases are files, and nothing is managed';
const OWN = 'databases of an account, by its plan';

const rows: PluginRows = {
  unwalked: {
    create: NO_SERVER,
    drop: NO_SERVER,
    tables: NO_SERVER,
    export: NO_SERVER,
    import: NO_SERVER,
    query: NO_SERVER,
    maintain: NO_SERVER,
    createUser: NO_SERVER,
    renewPassword: NO_SERVER,
    dropUser: NO_SERVER,
    setAccess: NO_SERVER,
    revokeAccess: NO_SERVER,
    endProcess: NO_SERVER,
  },
  opened: {
    ...{ databases: 'mysql', create: 'mysql', drop: 'mysql', tables: 'mysql', export: 'mysql', query: 'mysql' },
    maintain: 'mysql',
    import: 'mysql and mysql_import',
    ...{ users: 'mysql', createUser: 'mysql', renewPassword: 'mysql', dropUser: 'mysql' },
    ...{ setAccess: 'mysql', revokeAccess: 'mysql', processes: 'mysql', endProcess: 'mysql' },
  },
  answered: 'home',
  bounded: {
    databases: OWN,
    users: 'a number that the settings limit',
    processes: 'the first thousand',
    tables: 'the first thousand',
    query: 'the first thousand rows, or those of the first MiB',
  },
  pages: { '/home/databases': [] },
  isolation: {
    unmarked: { users: 'an empty list', processes: 'an empty list', tables: 'a refusal', export: 'a refusal' },
  },
  examples: {
    requests: {
      create: { name: 'shop' },
      query: { statement: 'select id, status from orders' },
      maintain: { action: 'optimize' },
      createUser: { name: 'app' },
      setAccess: { privileges: ['DELETE', 'INSERT', 'SELECT', 'UPDATE'] },
    },
    invented: {
      databases: {
        databases: ['demo_blog', 'demo_shop'],
        limit: 10,
        prefix: 'demo_',
        size_limit_mib: 1024,
        is_writing_stopped: false,
        server: { host: 'localhost', port: 0, socket: '/run/mysqld/mysqld.sock' },
      },
      create: { name: 'demo_shop' },
      drop: { changed: true },
      tables: {
        tables: [{ name: 'orders', engine: 'InnoDB', rows: 1200, size_bytes: 1_589_248 }],
        total: 1,
      },
      import: { changed: true },
      query: {
        columns: ['id', 'status'],
        rows: [
          ['1', 'paid'],
          ['2', null],
        ],
        truncated: false,
        ms: 2,
      },
      maintain: {
        tables: [
          {
            table: 'orders',
            status: 'ok',
            text: 'Table does not support optimize, doing recreate + analyze instead',
          },
        ],
        total: 1,
      },
      users: [
        {
          name: 'demo_app',
          host: 'localhost',
          is_locked: false,
          access: [{ database: 'demo_shop', privileges: ['DELETE', 'INSERT', 'SELECT', 'UPDATE'] }],
        },
      ],
      createUser: { name: 'demo_app', host: 'localhost', password: 'k3Vw-9fTqRz_a7LmXc2hNb5s' },
      renewPassword: { name: 'demo_app', host: 'localhost', password: 'Tq8_zK4mRw2-hVb6cXn9fLs3' },
      dropUser: { changed: true },
      setAccess: { changed: true },
      revokeAccess: { changed: true },
      processes: [
        {
          id: 4711,
          user: 'demo_app',
          client: 'localhost',
          database: 'demo_shop',
          command: 'Query',
          seconds: 3,
          state: 'Sending data',
          statement: 'select * from orders',
        },
      ],
      endProcess: { changed: true },
    },
  },
  accountTables: {
    mysql_changes: 'changes on their way',
    mysql_locks: 'made anew by the suspension',
    mysql_stopped: 'measured anew',
    mysql_withheld: 'measured anew',
  },
};
export default rows;
