/** Views, triggers, routines and events: what is made by a statement with a definer, whose rights it then has. */
import type { DatabaseClient } from '../../../kernel/areas/database-servers.ts';
import { identifier, isSqlError, literal } from '../../../kernel/kit/databases/mysql-text.ts';
import { refused } from '../server.ts';
import { nameBytes } from './tables.ts';

export const KINDS = ['function', 'procedure', 'view', 'trigger', 'event'] as const;
type Kind = (typeof KINDS)[number];

export interface MovedObject {
  readonly kind: Kind;
  readonly database: string;
  readonly name: string;
  /** `user@host` */
  readonly definer: string;
  /** Settings of the session in which it was made, which it keeps. */
  readonly sqlMode: string;
  readonly collation: string;
  readonly timeZone: string;
  readonly statement: string;
}

/** For each kind: all of some databases, and the column of `show create` that has the statement. */
const LISTS: Readonly<Record<Kind, readonly [sql: string, column: string]>> = {
  function: [routines('FUNCTION'), 'Create Function'],
  procedure: [routines('PROCEDURE'), 'Create Procedure'],
  view: [
    `select table_schema as \`database\`, table_name as name, definer, '' as sqlMode, collation_connection as collation,
      'SYSTEM' as timeZone from information_schema.views where table_schema in (?)`,
    'Create View',
  ],
  trigger: [
    `select trigger_schema as \`database\`, trigger_name as name, definer, sql_mode as sqlMode, collation_connection as collation,
      'SYSTEM' as timeZone from information_schema.triggers where trigger_schema in (?) order by action_order`,
    'SQL Original Statement',
  ],
  event: [
    `select event_schema as \`database\`, event_name as name, definer, sql_mode as sqlMode, collation_connection as collation,
      time_zone as timeZone from information_schema.events where event_schema in (?)`,
    'Create Event',
  ],
};

function routines(type: string): string {
  return `select routine_schema as \`database\`, routine_name as name, definer, sql_mode as sqlMode,
    collation_connection as collation, 'SYSTEM' as timeZone
    from information_schema.routines where routine_schema in (?) and routine_type = '${type}'`;
}

/** Resolves with all objects of some databases, and with those that cannot move. */
export async function readObjects(
  client: DatabaseClient,
  databases: readonly string[],
  definers: ReadonlySet<string>,
): Promise<{ readonly objects: MovedObject[]; readonly obstacles: string[] }> {
  if (databases.length === 0) return { objects: [], obstacles: [] };
  const objects: MovedObject[] = [];
  for (const kind of KINDS) {
    const [sql, column] = LISTS[kind];
    for (const row of await client.query<Omit<MovedObject, 'kind' | 'statement'>>(sql, [nameBytes(databases)])) {
      const shown = `show create ${kind} ${identifier(row.database)}.${identifier(row.name)}`;
      const [created] = await client.query<Record<string, string | null>>(shown);
      objects.push({ ...row, kind, statement: created?.[column] ?? '' });
    }
  }
  const others = await client.query<Record<'database' | 'name' | 'type', string>>(
    `select routine_schema as \`database\`, routine_name as name, routine_type as type from information_schema.routines
      where routine_schema in (?) and routine_type not in ('FUNCTION', 'PROCEDURE')`,
    [nameBytes(databases)],
  );
  const foreign = objects.filter(({ definer }) => !definers.has(definer));
  return {
    objects,
    obstacles: [
      ...others.map(({ database, name, type }) => `the ${type.toLowerCase()} ${database}.${name}`),
      ...foreign.map(
        ({ kind, database, name, definer }) =>
          `the ${kind} ${database}.${name}, whose definer ${definer} is no database user of the account`,
      ),
    ],
  };
}

/** Throws unless the statement makes an object of its kind with its definer. Errors: 409 `move_refused`. */
export function assertDefiner({ kind, database, name, definer, statement }: MovedObject): void {
  const at = definer.lastIndexOf('@');
  const quoted = `DEFINER=${identifier(definer.slice(0, at))}@${identifier(definer.slice(at + 1))} `;
  const [, algorithm = ''] = /^CREATE (ALGORITHM=[A-Z]+ )?/.exec(statement) ?? [];
  const rest = statement.slice(`CREATE ${algorithm}${quoted}`.length);
  const isMeant =
    statement.startsWith(`CREATE ${algorithm}${quoted}`) &&
    /^(?:SQL SECURITY (?:DEFINER|INVOKER) |AGGREGATE )?(FUNCTION|PROCEDURE|VIEW|TRIGGER|EVENT)\b/i
      .exec(rest)?.[1]
      ?.toLowerCase() === kind;
  if (!isMeant) throw refused(`the ${kind} ${database}.${name} has no definer of the account`);
}

/** Drops all objects of a database. Its triggers go first, because they may use the others. */
export async function dropObjects(client: DatabaseClient, database: string): Promise<void> {
  for (const kind of KINDS.toReversed())
    for (const { name } of await client.query<{ name: string }>(LISTS[kind][0], [nameBytes([database])]))
      await client.query(`drop ${kind} if exists ${identifier(database)}.${identifier(name)}`);
}

/**
 * Makes objects, over a client with one connection. Some need others, so those that fail are tried again as long as that
 * helps. Errors: 409 `move_refused`, with the first that cannot be made.
 */
export async function makeObjects(client: DatabaseClient, objects: readonly MovedObject[]): Promise<void> {
  for (let left = objects; left.length > 0;) {
    const failed: MovedObject[] = [];
    let why = '';
    for (const object of left) {
      try {
        await make(client, object);
      } catch (error) {
        if (!isSqlError(error)) throw error;
        why ||= `the ${object.kind} ${object.database}.${object.name} cannot be made: ${error.message}`;
        failed.push(object);
      }
    }
    if (failed.length === left.length) throw refused(why);
    left = failed;
  }
}

async function make(client: DatabaseClient, object: MovedObject): Promise<void> {
  assertDefiner(object);
  await client.query(`use ${identifier(object.database)}`);
  await client.query(
    `set session sql_mode = ${literal(object.sqlMode)}, collation_connection = ${literal(object.collation)},
      time_zone = ${literal(object.timeZone)}`,
  );
  try {
    await client.query(object.statement);
  } finally {
    await client.query("set session sql_mode = '', collation_connection = default");
  }
}
