import { NamedObject, Type, type Static } from '../../kernel/schema.ts';
import { MAINTENANCE_ACTIONS } from './maintenance/actions.ts';
import { PRIVILEGES } from './users/privileges.ts';

export const MysqlConfig = Type.Object(
  {
    client_host: Type.String({
      default: 'localhost',
      minLength: 1,
      maxLength: 255,
      description: "Where accounts' applications connect from, as a server of MariaDB names it",
    }),
    users_limit: Type.Integer({
      default: 100,
      minimum: 1,
      maximum: 1000,
      description: 'Database users of an account',
    }),
    import_max_bytes: Type.Integer({
      default: 16 * 2 ** 30,
      minimum: 2 ** 20,
      maximum: 2 ** 50,
      description: 'Of an import, without compression',
    }),
  },
  { additionalProperties: false },
);
export type MysqlConfig = Static<typeof MysqlConfig>;

const NewName = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[a-z0-9_]+$',
  description: "What follows the account's prefix: of `ann`, `shop` becomes `ann_shop`",
});
const Name = (what: string) => Type.String({ minLength: 1, maxLength: 128, description: `The whole name of ${what}` });
const Host = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'Where the user connects from; that of the account’s applications unless given',
});
const Privilege = Type.String({ title: 'DatabasePrivilege', enum: PRIVILEGES });

const Access = NamedObject('DatabaseAccess', {
  database: Type.String(),
  privileges: Type.Array(Type.String(), { description: 'Rights on the whole database' }),
});
export const DatabaseUser = NamedObject('DatabaseUser', {
  name: Type.String(),
  host: Type.String({ description: 'Where it connects from' }),
  is_locked: Type.Boolean({ description: 'Whether it cannot log in' }),
  access: Type.Array(Access, { description: 'By database; without rights on single tables' }),
});
export type DatabaseUser = Static<typeof DatabaseUser>;

export const DatabaseList = NamedObject('DatabaseList', {
  databases: Type.Array(Type.String(), { description: 'Sorted by name' }),
  limit: Type.Integer({ description: '`db_limit` of the plan; 0 = unlimited' }),
  prefix: Type.String({ description: 'The beginning of the names of databases and users that are made here' }),
  server: Type.Union(
    [
      NamedObject('DatabaseServer', {
        host: Type.String({ description: 'For applications; `localhost` where a socket is used' }),
        port: Type.Integer({ description: '0 where a socket is used' }),
        socket: Type.String({ description: 'Empty where the network is used' }),
      }),
      Type.Null(),
    ],
    {
      description:
        'How applications reach it; null if databases are not managed here: they are files, or the operator’s',
    },
  ),
});
export type DatabaseList = Static<typeof DatabaseList>;

export const NewDatabase = NamedObject('NewDatabase', { name: NewName });
export const OneDatabase = NamedObject('NamedDatabase', { name: Type.String() });
export const DatabaseParams = Type.Object({ database: Name('a database') });

export const DatabaseTables = NamedObject('DatabaseTables', {
  tables: Type.Array(
    NamedObject('DatabaseTable', {
      name: Type.String(),
      engine: Type.String({ description: 'Empty for a view' }),
      rows: Type.Integer({ description: 'An estimate for most engines' }),
      size_bytes: Type.Integer({ description: 'Data and indexes' }),
    }),
  ),
  total: Type.Integer({ description: 'Of all tables; the first 1,000 by name are listed' }),
});
export type DatabaseTables = Static<typeof DatabaseTables>;

export const NewMaintenance = NamedObject('DatabaseMaintenance', {
  action: Type.String({ enum: MAINTENANCE_ACTIONS, description: '`repair` changes damaged tables only' }),
});

export const NewQuery = NamedObject('DatabaseQuery', {
  statement: Type.String({ minLength: 1, maxLength: 65_536, description: 'One SQL statement that reads' }),
});
export const QueryResult = NamedObject('DatabaseQueryResult', {
  columns: Type.Array(Type.String()),
  rows: Type.Array(Type.Array(Type.Union([Type.String(), Type.Null()], { title: 'DatabaseValue' })), {
    maxItems: 1000,
    description: 'Values as text; what is no text, as `0x…` with its first bytes',
  }),
  truncated: Type.Boolean({ description: 'Whether there are more rows' }),
  ms: Type.Integer(),
});
export type QueryResult = Static<typeof QueryResult>;

export const DatabaseUsers = Type.Array(DatabaseUser, { description: 'Sorted by name and host' });
export const NewDatabaseUser = NamedObject('NewDatabaseUser', { name: NewName, host: Type.Optional(Host) });
export const UserParams = Type.Object({ user: Name('a database user') });
export const UserQuery = Type.Object({ host: Type.Optional(Host) });
export const UserSecret = NamedObject('DatabaseUserSecret', {
  name: Type.String(),
  host: Type.String(),
  password: Type.String({ description: 'Shown now only' }),
});

export const AccessParams = Type.Object({ user: Name('a database user'), database: Name('a database') });
export const NewAccess = NamedObject('NewDatabaseAccess', {
  host: Type.Optional(Host),
  privileges: Type.Array(Privilege, {
    minItems: 1,
    maxItems: PRIVILEGES.length,
    description: 'All that the user has on the whole database from now on',
  }),
});

export const DatabaseProcesses = Type.Array(
  NamedObject('DatabaseProcess', {
    id: Type.Integer(),
    user: Type.String(),
    client: Type.String({ description: 'Where it is connected from' }),
    database: Type.String({ description: 'Empty if none is chosen' }),
    command: Type.String(),
    seconds: Type.Integer({ description: 'How long it has been in this state' }),
    state: Type.String(),
    statement: Type.String({ description: 'The first 1,000 characters; empty if none runs' }),
  }),
  { description: 'Longest first' },
);
export type DatabaseProcesses = Static<typeof DatabaseProcesses>;
export const ProcessParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 20, description: 'The `id` of a process' }),
});

export const Done = NamedObject('DatabaseChange', { changed: Type.Literal(true) });
