import * as shared from '../../kernel/kit/databases/schema.ts';
import { MAINTENANCE_ACTIONS } from '../../kernel/kit/databases/table-maintenance.ts';
import { NamedObject, Type, type Static } from '../../kernel/schema.ts';
import { LEVELS } from '../../kernel/kit/databases/postgresql/names.ts';

const closed = { additionalProperties: false } as const;

export const PostgresqlServer = Type.Object(
  {
    host: Type.String({ default: '127.0.0.1', description: 'A name or an address; used unless a socket is set' }),
    port: Type.Integer({
      default: 5432,
      minimum: 1,
      maximum: 65535,
      description: 'Its TCP port; used unless a socket is set',
    }),
    socket: Type.String({ default: '', description: 'Folder of the Unix socket, e.g. /run/postgresql' }),
    user: Type.String({ default: 'postgres', description: 'A superuser of the server' }),
    password: Type.String({ default: '', writeOnly: true, description: 'Password of that user' }),
  },
  closed,
);
export type PostgresqlServer = Static<typeof PostgresqlServer>;

export const PostgresqlConfig = Type.Object(
  {
    servers: Type.Record(Type.String(), PostgresqlServer, {
      default: {},
      description: "Servers of PostgreSQL for customers' databases, by a name of your choice; not that of the store",
    }),
    default_server: Type.String({
      default: '',
      description: 'Server of the accounts that postgresql.accounts does not name; empty = they have none',
    }),
    accounts: Type.Record(Type.String(), Type.String(), {
      default: {},
      description: 'Name of the server by user name; "" = none',
    }),
    ...shared.MANAGED_SETTINGS,
    ...shared.CONNECT_SETTING,
    connections_limit: Type.Integer({
      default: 20,
      minimum: 1,
      maximum: 10_000,
      description: 'Connections of a database user at a time',
    }),
    statement_seconds: Type.Integer({
      default: 300,
      minimum: 0,
      maximum: 86_400,
      description: 'How long a statement of a database user may run unless it asks for longer; 0 = for ever',
    }),
    idle_seconds: Type.Integer({
      default: 3600,
      minimum: 0,
      maximum: 604_800,
      description:
        'How long a connection may do nothing unless it asks for longer, and in a transaction a tenth of that; 0 = for ever',
    }),
    query_timeout_ms: Type.Integer({
      default: 20_000,
      minimum: 100,
      maximum: 60_000,
      description: 'Time limit for a statement of this service; to make a database takes the server some seconds',
    }),
  },
  closed,
);
export type PostgresqlConfig = Static<typeof PostgresqlConfig>;

const Level = Type.String({
  title: 'PostgresqlLevel',
  enum: LEVELS,
  description:
    'owner: all on the database; read_write: reads and changes rows of all tables, also later ones; read_only: reads them',
});
export type Level = (typeof LEVELS)[number];

export const DatabaseList = NamedObject('PostgresqlDatabaseList', {
  databases: Type.Array(
    NamedObject('PostgresqlDatabase', {
      name: Type.String(),
      size_bytes: Type.Union([Type.Integer(), Type.Null()], {
        description: 'As the server measures it; null if the server does not have the database',
      }),
    }),
    { description: 'Sorted by name' },
  ),
  ...shared.DATABASE_LIST,
  is_closed: Type.Boolean({
    description: 'Whether database users cannot connect, as they wrote although the limit was reached',
  }),
  server: Type.Union(
    [
      NamedObject('PostgresqlAddress', {
        host: Type.String({ description: 'For applications; the folder of the socket where one is used' }),
        port: Type.Integer(),
      }),
      Type.Null(),
    ],
    { description: 'How applications reach it; null if the account has no server' },
  ),
});
export type DatabaseList = Static<typeof DatabaseList>;

export const DatabaseTables = NamedObject('PostgresqlTables', {
  tables: Type.Array(
    NamedObject('PostgresqlTable', {
      schema: Type.String(),
      name: Type.String(),
      kind: Type.String({ enum: ['table', 'view', 'materialized view', 'foreign table'] }),
      rows: Type.Integer({ description: 'An estimate; 0 until the server has looked' }),
      size_bytes: Type.Integer({ description: 'Data and indexes' }),
    }),
    { description: 'Sorted by schema and name' },
  ),
  total: Type.Integer({ description: 'Of all tables; the first 1,000 are listed' }),
});
export type DatabaseTables = Static<typeof DatabaseTables>;

export const NewMaintenance = NamedObject('PostgresqlMaintenance', {
  action: Type.String({
    enum: MAINTENANCE_ACTIONS,
    description:
      '`optimize`: `vacuum (analyze)`; `check` reads all values and looks at the state of indexes; `repair`: `reindex`',
  }),
});

export const DatabaseProcesses = Type.Array(NamedObject('PostgresqlProcess', shared.DATABASE_PROCESS), {
  description: 'Longest first; the state is `active` while a statement runs, and the statement is the latest',
});
export type DatabaseProcesses = Static<typeof DatabaseProcesses>;

export const DatabaseUser = NamedObject('PostgresqlUser', {
  name: Type.String(),
  is_locked: Type.Boolean({ description: 'Whether it cannot log in' }),
  access: Type.Array(
    NamedObject('PostgresqlAccess', { database: Type.String(), level: Type.String({ enum: LEVELS }) }),
    { description: 'Sorted by database' },
  ),
});
export type DatabaseUser = Static<typeof DatabaseUser>;
export const DatabaseUsers = Type.Array(DatabaseUser, { description: 'Sorted by name' });
export const NewDatabaseUser = NamedObject('NewPostgresqlUser', { name: shared.NewDatabaseName });
export const UserSecret = NamedObject('PostgresqlUserSecret', {
  name: Type.String(),
  password: Type.String({ description: 'Shown now only' }),
});
export type UserSecret = Static<typeof UserSecret>;
export const NewAccess = NamedObject('NewPostgresqlAccess', { level: Level });
