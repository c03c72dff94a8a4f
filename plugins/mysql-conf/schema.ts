import { ofNode } from '../../kernel/contract/forwarding.ts';
import { NamedObject, Type, type Static, type TSchema } from '../../kernel/schema.ts';

/** There are no settings. */
export const MysqlConfConfig = Type.Object({}, { additionalProperties: false });

const COUNT = 1_000_000_000;
const Whole = (maximum: number, description: string) => Type.Integer({ minimum: 0, maximum, description });
const Limits = {
  connections: Whole(100_000, 'At the same time'),
  statement_seconds: Whole(
    86_400,
    'For how long a statement may run unless the application sets another time for itself',
  ),
  queries_per_hour: Whole(COUNT, 'Statements of all kinds in an hour'),
  updates_per_hour: Whole(COUNT, 'Statements that change something, in an hour'),
  connections_per_hour: Whole(COUNT, 'In an hour'),
};
/** As the server says it: an operator may have set a fraction of a second, or -1 connections for none. */
const InForce = {
  ...Limits,
  connections: Type.Integer({ description: 'At the same time' }),
  statement_seconds: Type.Number({ description: Limits.statement_seconds.description ?? '' }),
};

const UserSettings = NamedObject('DatabaseUserSettings', {
  name: Type.String(),
  host: Type.String({ description: 'Where it connects from' }),
  limits: NamedObject('DatabaseUserLimits', InForce, { description: 'In force at the server; 0 = none' }),
});
export const DatabaseSettings = NamedObject('DatabaseSettings', {
  is_managed: Type.Boolean({ description: 'Whether databases are managed here; if not, all lists are empty' }),
  databases: Type.Array(
    NamedObject('DatabaseTextSettings', {
      name: Type.String(),
      character_set: Type.String(),
      collation: Type.String({ description: 'Of new tables that name none' }),
    }),
    { description: 'Sorted by name' },
  ),
  users: Type.Array(UserSettings, { description: 'Sorted by name and host' }),
  connections_limit: Type.Integer({
    description: 'The most connections of each user, `db_user_connections_limit` of the plan; 0 = unlimited',
  }),
  server: Type.Array(NamedObject('DatabaseServerValue', { name: Type.String(), value: Type.String() }), {
    description: 'Variables of the server with which each connection begins; the provider sets them',
  }),
});
export type DatabaseSettings = Static<typeof DatabaseSettings>;

export const Collations = Type.Array(
  NamedObject('DatabaseCollation', {
    collation: Type.String(),
    character_set: Type.String(),
    is_default: Type.Boolean({ description: 'Whether it is the default of the character set' }),
  }),
  { description: 'Sorted by character set and name' },
);
export type Collations = Static<typeof Collations>;

const Name = (what: string) => Type.String({ minLength: 1, maxLength: 128, description: `The whole name of ${what}` });
export const DatabaseParams = Type.Object({ database: Name('a database') });
export const UserParams = Type.Object({ user: Name('a database user') });

export const NewCollation = NamedObject('NewDatabaseCollation', {
  collation: Type.String({
    minLength: 1,
    maxLength: 64,
    pattern: '^[a-z0-9_]+$',
    description: 'One of GET /api/database-collations; it says the character set as well',
  }),
});
export const NewUserLimits = NamedObject(
  'NewDatabaseUserLimits',
  {
    host: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'Required where several users have this name' }),
    ),
    ...Limits,
  },
  { description: 'All limits of the user from now on; 0 = none but that of the plan' },
);
export const Changed = NamedObject('DatabaseSettingChange', { changed: Type.Literal(true) });

const Nullable = <T extends TSchema>(type: T, description: string) => Type.Union([type, Type.Null()], { description });
const DatabaseVariable = NamedObject('DatabaseVariable', {
  name: Type.String(),
  value: Type.String({ description: 'Now' }),
  kind: Type.String({
    enum: ['integer', 'decimal', 'choice', 'choices', 'text'],
    description: '`choices`: several, separated by commas',
  }),
  default: Nullable(Type.String(), 'Of MariaDB; null if it has none'),
  minimum: Nullable(Type.Number(), 'Of a number; for some, 0 is allowed as well, for none'),
  maximum: Nullable(Type.Number(), 'Of a number'),
  choices: Type.Array(Type.String(), { description: 'Empty unless the kind is `choice` or `choices`' }),
  set_value: Nullable(Type.String(), 'As an administrator set it here; null if the files of the server say it'),
  files_value: Nullable(Type.String(), 'Where it was set here, the value that a reset gives back'),
  changed_by: Nullable(Type.String(), 'Who set it here'),
  changed_at: Nullable(Type.String(), 'When; RFC 3339, UTC'),
});
export const DatabaseServerList = NamedObject('DatabaseServerList', {
  servers: Type.Array(
    NamedObject('DatabaseServerVariables', {
      name: Type.String({ description: 'In the settings' }),
      problem: Nullable(Type.String(), 'Why there are no variables; null if it answers'),
      variables: Type.Array(DatabaseVariable, { description: 'Those that can be changed, by name' }),
    }),
    { description: 'Sorted by name' },
  ),
});
export type DatabaseServerList = Static<typeof DatabaseServerList>;

export const NodeQuery = Type.Object(ofNode);
export const VariableParams = Type.Object({
  server: Type.String({ minLength: 1, maxLength: 64, description: 'Its name in the settings' }),
  variable: Type.String({ minLength: 1, maxLength: 64, description: 'The name of a variable' }),
});
export const NewVariable = NamedObject('DatabaseVariableValue', {
  value: Type.String({ maxLength: 1000, description: 'As the server writes it: `16777216`, `ON`' }),
});
