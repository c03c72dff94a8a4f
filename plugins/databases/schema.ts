import { Type, type Static } from '../../kernel/schema.ts';

const closed = { additionalProperties: false } as const;

export const ServerSettings = Type.Object(
  {
    host: Type.String({ default: '', description: '127.0.0.1 where neither this nor the option file says' }),
    port: Type.Integer({
      default: 0,
      minimum: 0,
      maximum: 65535,
      description: '0 = what the option file says, else 3306',
    }),
    socket: Type.String({ default: '', description: 'Unix socket; used instead of host and port where set' }),
    user: Type.String({ default: '' }),
    password: Type.String({ default: '' }),
    option_file: Type.String({
      default: '',
      description: 'A my.cnf whose [client] section says what is not set here: host, port, socket, user, password',
    }),
    ownership: Type.String({
      enum: ['prefix', 'grants', 'login'],
      default: 'prefix',
      description:
        "prefix: databases named <username>_…; grants: those that the account's database user was granted; login: all that this login sees, for a server of one account only",
    }),
    database_user: Type.String({
      default: '{username}',
      description: "For grants: name of an account's database user; {username} is replaced",
    }),
  },
  closed,
);
export type ServerSettings = Static<typeof ServerSettings>;

export const DatabasesConfig = Type.Object(
  {
    servers: Type.Record(Type.String(), ServerSettings, {
      default: {},
      description: 'MySQL and MariaDB servers by a name of your choice',
    }),
    default_server: Type.String({
      default: '',
      description:
        'Server of accounts that have none of their own; where it is empty their databases are SQLite files in their databases/ folder',
    }),
    accounts: Type.Record(Type.String(), Type.String(), {
      default: {},
      description: 'User names with a server of their own, and its name; "" = SQLite files',
    }),
    refresh_seconds: Type.Number({
      default: 3,
      minimum: 0.1,
      maximum: 60,
      description: 'How long sizes are kept; longer where a server takes long to tell them',
    }),
    retry_seconds: Type.Number({
      default: 2,
      minimum: 0.1,
      maximum: 60,
      description: 'How long a server that failed is left alone',
    }),
    connect_timeout_ms: Type.Integer({ default: 3000, minimum: 100, maximum: 30_000 }),
    query_timeout_ms: Type.Integer({ default: 10_000, minimum: 100, maximum: 60_000 }),
  },
  closed,
);
export type DatabasesConfig = Static<typeof DatabasesConfig>;

/** How long a connection and a statement may take, in milliseconds. */
export function limitsOf(config: DatabasesConfig): { readonly connectMs: number; readonly queryMs: number } {
  return { connectMs: config.connect_timeout_ms, queryMs: config.query_timeout_ms };
}

export const DatabaseCount = Type.Object({
  db_usage: Type.String({ description: "Number of the account's databases, system databases not counted" }),
});

export const SizeQuery = Type.Object({
  database: Type.String({ minLength: 1, maxLength: 512, description: 'Name as /api/mysql-size lists it' }),
});
export const DatabaseSize = Type.Object({
  size: Type.String({ description: 'As du -h writes it: 3.3G, 1.7M, 512, 0' }),
});

/** `unit` is any text here, because an unknown one has an error of its own. */
export const SizesQuery = Type.Object({
  unit: Type.String({ default: 'bytes', description: 'bytes, kb, mb or gb; powers of 1024' }),
  show_all: Type.String({
    default: '',
    description: 'true lists the system databases too; anything else leaves them out',
  }),
});

const scaled = (unit: string) =>
  Type.Optional(Type.Number({ description: `${unit}, 2 decimals; there when asked for` }));
export const DatabaseSizes = Type.Array(
  Type.Object({
    Database: Type.String(),
    'Size (MB)': Type.Number({ description: 'MiB, 2 decimals, whatever the unit' }),
    'Size (BYTES)': Type.Optional(Type.Integer({ description: 'there when asked for' })),
    'Size (KB)': scaled('KiB'),
    'Size (GB)': scaled('GiB'),
  }),
  { description: 'By name; a database without tables has 0' },
);
export type DatabaseSizes = Static<typeof DatabaseSizes>;
