/** Routes of managed databases that are the same for servers of all kinds. */
import { Type } from '../../schema.ts';
import * as schema from './schema.ts';
import { DUMP_TYPES } from './dump-stream.ts';
import { MaintainedTables } from './table-maintenance.ts';

interface Paths<D extends string, U extends string, P extends string> {
  readonly databases: D;
  readonly users: U;
  readonly processes: P;
}
/** The kind of server in summaries: "database", "MariaDB database". */
interface Words {
  readonly database: string;
  readonly user: string;
}

/**
 * Returns the routes by their names in a plugin, which spreads them and adds what is its own: more of a description, rights, users. `shared`
 * stands in each of them; `server` are the codes of a server that cannot be asked.
 */
export function databaseRoutes<
  const D extends string,
  const U extends string,
  const P extends string,
  const S extends object,
  const E extends readonly string[],
>(paths: Paths<D, U, P>, words: Words, shared: S, server: E) {
  const database = `${paths.databases}/:database` as const;
  const user = `${paths.users}/:user` as const;
  const changed = ['database_user_not_found', 'request_in_progress', ...server] as const;
  const [ofDatabase, ofUser, ofBoth] = [
    { ...shared, params: schema.DatabaseParams },
    { ...shared, params: schema.DatabaseUserParams },
    { ...shared, params: schema.DatabaseAccessParams, path: `${user}/databases/:database` },
  ] as const;
  return {
    databases: {
      ...shared,
      method: 'GET',
      path: paths.databases,
      summary: `List the account's ${words.database}s, and how to reach them`,
      errors: ['databases_unavailable'],
    },
    create: {
      ...shared,
      method: 'POST',
      path: paths.databases,
      idempotencyKey: 'kept',
      summary: `Create a ${words.database}`,
      body: schema.NewDatabase,
      reply: schema.OneDatabase,
      status: 201,
    },
    drop: {
      ...ofDatabase,
      method: 'DELETE',
      path: database,
      summary: `Drop a ${words.database} with all that is in it`,
      reply: schema.DatabaseChange,
      errors: ['database_not_found', 'request_in_progress', ...server],
    },
    tables: {
      ...ofDatabase,
      method: 'GET',
      path: `${database}/tables`,
      summary: `List the tables and views of a ${words.database}, with rows and sizes`,
      description: 'As the server estimates them.',
      errors: ['database_not_found', ...server],
    },
    export: {
      ...ofDatabase,
      method: 'GET',
      path: `${database}/export`,
      summary: `Export a ${words.database}`,
      query: schema.DumpQuery,
      produces: DUMP_TYPES,
      reply: Type.Unknown(),
    },
    import: {
      ...ofDatabase,
      method: 'POST',
      path: `${database}/import`,
      summary: `Import a dump into a ${words.database}`,
      reply: schema.DatabaseChange,
      errors: ['database_not_found', 'request_in_progress', 'import_failed', 'overloaded', ...server],
    },
    query: {
      ...ofDatabase,
      method: 'POST',
      path: `${database}/query`,
      summary: `Read from a ${words.database} with a statement`,
      description:
        'Runs one SQL statement, which can only read, and only this database. It has 10 seconds; the first 1,000 rows, or those ' +
        'of the first MiB, are returned.',
      body: schema.NewDatabaseQuery,
      reply: schema.DatabaseQueryResult,
      errors: ['database_not_found', 'request_in_progress', 'query_failed', ...server],
    },
    maintain: {
      ...ofDatabase,
      method: 'POST',
      path: `${database}/maintenance`,
      reply: MaintainedTables,
      errors: ['database_not_found', 'request_in_progress', 'overloaded', ...server],
    },
    users: {
      ...shared,
      method: 'GET',
      path: paths.users,
      summary: `List the account's ${words.user}s and their rights`,
      errors: ['databases_unavailable'],
    },
    createUser: {
      ...shared,
      method: 'POST',
      path: paths.users,
      idempotencyKey: 'refused',
      summary: `Create a ${words.user}`,
      status: 201,
    },
    renewPassword: {
      ...ofUser,
      method: 'POST',
      path: `${user}/password`,
      idempotencyKey: 'refused',
      summary: `Give a ${words.user} a new password`,
      description: 'The password is made here, and shown now only. Connections stay open.',
      errors: changed,
    },
    dropUser: {
      ...ofUser,
      method: 'DELETE',
      path: user,
      summary: `Drop a ${words.user}`,
      reply: schema.DatabaseChange,
      errors: changed,
    },
    setAccess: {
      ...ofBoth,
      method: 'PUT',
      summary: `Set the rights of a ${words.user} on a database`,
      reply: schema.DatabaseChange,
      errors: ['database_not_found', ...changed],
    },
    revokeAccess: {
      ...ofBoth,
      method: 'DELETE',
      summary: `Take the rights of a ${words.user} on a database away`,
      reply: schema.DatabaseChange,
      errors: ['database_not_found', 'database_access_not_found', ...changed],
    },
    processes: {
      ...shared,
      method: 'GET',
      path: paths.processes,
      summary: `List what the account's ${words.user}s are doing`,
      errors: ['databases_unavailable'],
    },
    endProcess: {
      ...shared,
      method: 'DELETE',
      path: `${paths.processes}/:id`,
      summary: `End a process of a ${words.user}, and close its connection`,
      description: 'What its transaction has changed is taken back.',
      params: schema.DatabaseProcessParams,
      reply: schema.DatabaseChange,
      errors: ['database_process_not_found', ...server],
    },
  } as const;
}
