import { CONNECT_SETTING } from '../../kernel/kit/databases/schema.ts';
import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

const closed = { additionalProperties: false } as const;

export const ServerSettings = Type.Object(
  {
    host: Type.String({ default: '', description: '127.0.0.1 unless set here or in the option file' }),
    port: Type.Integer({
      default: 0,
      minimum: 0,
      maximum: 65535,
      description: '0 = the port in the option file, else 3306',
    }),
    socket: Type.String({ default: '', description: 'Unix socket; if set, used instead of host and port' }),
    user: Type.String({ default: '', description: 'Database user; empty = the one in the option file' }),
    password: Type.String({
      default: '',
      writeOnly: true,
      description: 'Password of that user; empty = the one in the option file',
    }),
    option_file: Type.String({
      default: '',
      description: 'A my.cnf whose [client] section supplies what is not set here: host, port, socket, user, password',
    }),
    ownership: Type.String({
      enum: ['prefix', 'grants', 'login'],
      default: 'prefix',
      description:
        "Which databases are an account's. prefix: those named <username>_…; grants: those on which the account's database user has privileges; login: all that this login sees, for a server of one account only",
    }),
    database_user: Type.String({
      default: '{username}',
      description: "For grants: name of an account's database user; {username} is replaced by the account's name",
    }),
  },
  closed,
);
export type ServerSettings = Static<typeof ServerSettings>;

export const DatabasesConfig = Type.Object(
  {
    servers: Type.Record(Type.String(), ServerSettings, {
      default: {},
      description: 'MySQL and MariaDB servers, by a name of your choice',
    }),
    default_server: Type.String({
      default: '',
      description:
        'Server of the accounts that databases.accounts does not name; empty = their databases are the SQLite files in their folder databases/',
    }),
    accounts: Type.Record(Type.String(), Type.String(), {
      default: {},
      description: 'Name of the server by user name; "" = SQLite files',
    }),
    refresh_seconds: Type.Number({
      default: 3,
      minimum: 0.1,
      maximum: 60,
      description: 'How long sizes are kept; longer for a server that answers slowly',
    }),
    retry_seconds: Type.Number({
      default: 2,
      minimum: 0.1,
      maximum: 60,
      description: 'Pause after a failure before a server is tried again',
    }),
    ...CONNECT_SETTING,
    query_timeout_ms: Type.Integer({
      default: 10_000,
      minimum: 100,
      maximum: 60_000,
      description: 'Time limit for a statement',
    }),
  },
  closed,
);
export type DatabasesConfig = Static<typeof DatabasesConfig>;

/** Time limits for a connection and a statement, in milliseconds. */
export function timeLimits(config: DatabasesConfig): { readonly connectMs: number; readonly queryMs: number } {
  return { connectMs: config.connect_timeout_ms, queryMs: config.query_timeout_ms };
}

export const DatabaseCount = NamedObject('DatabaseCount', {
  db_usage: Type.String({ description: "Number of the account's databases, without system databases" }),
});

export const SizeQuery = Type.Object({
  database: Type.String({
    minLength: 1,
    maxLength: 512,
    description: 'A name that /api/mysql-size lists, with show_all=true or without',
  }),
});
const AsOf = Type.Optional(
  Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description:
      'Present if the size could not be measured now, because tables are locked or too many: when it was measured. null if it never was; the size is then without those tables',
  }),
);
export const DatabaseSize = NamedObject('DatabaseSize', {
  size: Type.String({ description: 'In the format of du -h: 3.3G, 1.7M, 512, 0' }),
  as_of: AsOf,
});
export type DatabaseSize = Static<typeof DatabaseSize>;

/** `unit` is any text here, because an unknown unit has its own error code. */
export const SizesQuery = Type.Object({
  unit: Type.String({ default: 'bytes', description: 'bytes, kb, mb or gb; powers of 1024' }),
  show_all: Type.Boolean({ default: false, description: 'true includes the system databases' }),
});

const DECIMALS = '2 decimals, or 2 digits where that would show 0';
const scaled = (unit: string) =>
  Type.Optional(Type.Number({ description: `${unit}, ${DECIMALS}; present if requested` }));
export const DatabaseSizes = Type.Array(
  NamedObject('DatabaseSizeRow', {
    Database: Type.String(),
    'Size (MB)': Type.Number({ description: `MiB, ${DECIMALS}; always present` }),
    'Size (BYTES)': Type.Optional(Type.Integer({ description: 'Present if requested' })),
    'Size (KB)': scaled('KiB'),
    'Size (GB)': scaled('GiB'),
    as_of: AsOf,
  }),
  { description: 'Sorted by name; a database without tables has size 0. The first 5,000 of a server, 10,000 of files' },
);
export type DatabaseSizes = Static<typeof DatabaseSizes>;
