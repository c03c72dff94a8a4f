/** Settings, requests and replies of managed databases that are the same for servers of all kinds. */
import { NamedObject, Type, type Static } from '../../schema.ts';
import { DUMP_FORMATS } from './dump-stream.ts';

/** Settings of a plugin that manages databases. */
export const MANAGED_SETTINGS = {
  users_limit: Type.Integer({
    default: 100,
    minimum: 1,
    maximum: 1000,
    description: 'Database users of an account, whatever its plan allows',
  }),
  import_max_bytes: Type.Integer({
    default: 16 * 2 ** 30,
    minimum: 2 ** 20,
    maximum: 2 ** 50,
    description: 'Of an import, without compression',
  }),
};
/** Settings of a plugin that has servers. */
export const CONNECT_SETTING = {
  connect_timeout_ms: Type.Integer({
    default: 3000,
    minimum: 100,
    maximum: 30_000,
    description: 'Time limit for a connection',
  }),
};

export const NewDatabaseName = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[a-z0-9_]+$',
  description: "What follows the account's prefix: of `ann`, `shop` becomes `ann_shop`",
});
const Name = (what: string) => Type.String({ minLength: 1, maxLength: 128, description: `The whole name of ${what}` });
const [database, user] = [Name('a database'), Name('a database user')];

export const DatabaseParams = Type.Object({ database });
export const DumpQuery = Type.Object({
  format: Type.String({ enum: [...DUMP_FORMATS], default: 'gzip', description: 'How it is compressed' }),
});
export const DatabaseUserParams = Type.Object({ user });
export const DatabaseAccessParams = Type.Object({ user, database });
export const DatabaseProcessParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 20, description: 'The `id` of a process' }),
});

export const NewDatabase = NamedObject('NewDatabase', { name: NewDatabaseName });
export const OneDatabase = NamedObject('NamedDatabase', { name: Type.String() });
/** Members of every list of databases. */
export const DATABASE_LIST = {
  limit: Type.Integer({ description: '`db_limit` of the plan, for databases of all kinds; 0 = unlimited' }),
  prefix: Type.String({ description: 'The beginning of the names of databases and users that are made here' }),
  size_limit_mib: Type.Integer({ description: 'Of the plan, for all databases of this kind together; 0 = unlimited' }),
  is_writing_stopped: Type.Boolean({
    description: 'Whether that is reached, so that database users can read and delete only',
  }),
};

export const NewDatabaseQuery = NamedObject('DatabaseQuery', {
  statement: Type.String({ minLength: 1, maxLength: 65_536, description: 'One SQL statement that reads' }),
});
export const DatabaseQueryResult = NamedObject('DatabaseQueryResult', {
  columns: Type.Array(Type.String()),
  rows: Type.Array(Type.Array(Type.Union([Type.String(), Type.Null()], { title: 'DatabaseValue' })), {
    maxItems: 1000,
    description: 'Values as text; of MariaDB, what is no text as `0x…` with its first bytes',
  }),
  truncated: Type.Boolean({ description: 'Whether there are more rows' }),
  ms: Type.Integer(),
});
export type DatabaseQueryResult = Static<typeof DatabaseQueryResult>;

/** Members of a process of every kind of server. */
export const DATABASE_PROCESS = {
  id: Type.Integer(),
  user: Type.String(),
  client: Type.String({ description: 'Where it is connected from' }),
  database: Type.String({ description: 'Empty if none is chosen' }),
  seconds: Type.Integer({ description: 'How long it has been in this state' }),
  state: Type.String({ description: 'As the server names it' }),
  statement: Type.String({ description: 'The first 1,000 characters; empty if there is none' }),
};

export const DatabaseChange = NamedObject('DatabaseChange', { changed: Type.Literal(true) });

/** Resolves with the reply of a route that changes something. */
export async function changed(change: Promise<unknown>): Promise<{ changed: true }> {
  await change;
  return { changed: true };
}
