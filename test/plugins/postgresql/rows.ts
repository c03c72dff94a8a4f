import type { PluginRows } from '../../support/plugin-rows.ts';

const NO_SERVER = 'without a server of PostgreSQL nothing is managed';
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
    endProcess: NO_SERVER,
    createUser: NO_SERVER,
    renewPassword: NO_SERVER,
    dropUser: NO_SERVER,
    setAccess: NO_SERVER,
    revokeAccess: NO_SERVER,
  },
  opened: {
    ...{ databases: 'postgresql', create: 'postgresql', drop: 'postgresql', users: 'postgresql' },
    ...{ createUser: 'postgresql', renewPassword: 'postgresql', dropUser: 'postgresql' },
    ...{ setAccess: 'postgresql', revokeAccess: 'postgresql', tables: 'postgresql', export: 'postgresql' },
    ...{ import: 'postgresql', query: 'postgresql', maintain: 'postgresql' },
    ...{ processes: 'postgresql', endProcess: 'postgresql' },
  },
  answered: 'home',
  bounded: {
    databases: OWN,
    users: 'a number that the settings limit',
    processes: 'the first thousand',
    tables: 'the first thousand',
    query: 'the first thousand rows, or those of the first MiB',
  },
  pages: { '/home/postgresql': [] },
  isolation: {
    unmarked: { users: 'an empty list', processes: 'an empty list', tables: 'a refusal', export: 'a refusal' },
  },
  examples: {
    requests: {
      query: { statement: 'select id, status from orders' },
      maintain: { action: 'optimize' },
      create: { name: 'shop' },
      createUser: { name: 'app' },
      setAccess: { level: 'read_write' },
    },
    invented: {
      databases: {
        databases: [{ name: 'demo_shop', size_bytes: 7_602_703 }],
        limit: 10,
        prefix: 'demo_',
        size_limit_mib: 1024,
        is_writing_stopped: false,
        is_closed: false,
        server: { host: '/run/postgresql', port: 5432 },
      },
      create: { name: 'demo_shop' },
      drop: { changed: true },
      tables: {
        tables: [{ schema: 'public', name: 'orders', kind: 'table', rows: 1200, size_bytes: 1_589_248 }],
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
      maintain: { tables: [{ table: 'public.orders', status: 'ok', text: '' }], total: 1 },
      processes: [
        {
          id: 4711,
          user: 'demo_app',
          client: 'localhost',
          database: 'demo_shop',
          seconds: 3,
          state: 'active',
          statement: 'select * from orders',
        },
      ],
      endProcess: { changed: true },
      users: [{ name: 'demo_app', is_locked: false, access: [{ database: 'demo_shop', level: 'owner' }] }],
      createUser: { name: 'demo_app', password: 'k3Vw-9fTqRz_a7LmXc2hNb5s' },
      renewPassword: { name: 'demo_app', password: 'Tq8_zK4mRw2-hVb6cXn9fLs3' },
      dropUser: { changed: true },
      setAccess: { changed: true },
      revokeAccess: { changed: true },
    },
  },
  accountTables: { postgresql_items: 'archived', postgresql_stopped: 'measured anew' },
};
export default rows;
