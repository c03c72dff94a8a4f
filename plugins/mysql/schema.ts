import * as shared from '../../kernel/kit/databases/schema.ts';
import { NamedObject, Type, type Static } from '../../kernel/schema.ts';
import { MAINTENANCE_ACTIONS } from '../../kernel/kit/databases/table-maintenance.ts';
import { PRIVILEGES } from '../../kernel/kit/databases/mariadb/privileges.ts';

export const MysqlConfig = Type.Object(
  {
    client_host: Type.String({
      default: 'localhost',
      minLength: 1,
      maxLength: 255,
      description: "Where accounts' applications connect from, as a server of MariaDB names it",
    }),
    ...shared.MANAGED_SETTINGS,
  },
  { additionalProperties: false },
);
export type MysqlConfig = Static<typeof MysqlConfig>;

const Host = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'Where the user connects from; that of the account’s applications unless given',
});
const Privilege = Type.String({ title: 'DatabasePrivilege', enum: PRIVILEGES });

const Access = NamedObject('DatabaseAccess', {
  database: Type.String(),
  privileges: Type.Array(Type.String(), {
    description: 'Rights on the whole database, also those that are withheld while the size of the plan is reached',
  }),
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
  ...shared.DATABASE_LIST,
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

export const DatabaseUsers = Type.Array(DatabaseUser, { description: 'Sorted by name and host' });
export const NewDatabaseUser = NamedObject('NewDatabaseUser', {
  name: shared.NewDatabaseName,
  host: Type.Optional(Host),
});
export const UserQuery = Type.Object({ host: Type.Optional(Host) });
export const UserSecret = NamedObject('DatabaseUserSecret', {
  name: Type.String(),
  host: Type.String(),
  password: Type.String({ description: 'Shown now only' }),
});

export const NewAccess = NamedObject('NewDatabaseAccess', {
  host: Type.Optional(Host),
  privileges: Type.Array(Privilege, {
    minItems: 1,
    maxItems: PRIVILEGES.length,
    description: 'All that the user has on the whole database from now on',
  }),
});

export const DatabaseProcesses = Type.Array(
  NamedObject('DatabaseProcess', { ...shared.DATABASE_PROCESS, command: Type.String() }),
  { description: 'Longest first' },
);
export type DatabaseProcesses = Static<typeof DatabaseProcesses>;
