/**
 * Checks of what another node sends: it may be in foreign hands, and its texts become statements that a privileged login
 * runs. All errors are 400 `invalid_request`.
 */
import { readBoolean, readList, readMembers, readText } from '../../../kernel/kit/verb-arguments.ts';
import { KINDS, type MovedObject } from '../contents/objects.ts';
import type { MovedDatabase } from '../contents/tables.ts';
import type { MovedGrant, MovedUser } from '../contents/users.ts';
import type { Requests } from './wire.ts';

/** More than a server of a hosting node has of each. */
const MANY = 100_000;
const NAME = /^[^\0]{1,256}$/u;
/** Of a character set, or a collation. */
const WORD = /^\w{1,64}$/;
const ANY = /^/;
const PRIVILEGE = /^[A-Z][A-Z ]*$/;
const GRANT_KINDS = /^(table|function|procedure)$/;
const OBJECT_KINDS = new RegExp(`^(${KINDS.join('|')})$`);

/** Readers of the bodies by the names of the requests. */
export const READERS: { readonly [N in keyof Requests]: (body: unknown) => Requests[N][0] } = {
  meet(body) {
    const { probe, ownership } = readMembers(body, ['probe', 'ownership']);
    return { probe: readText(probe, NAME), ownership: readText(ownership, WORD) };
  },
  align: (body) => ({ databases: readList(readMembers(body, ['databases']).databases, MANY, databaseIn) }),
  objects: (body) => ({ objects: readList(readMembers(body, ['objects']).objects, MANY, objectIn) }),
  users(body) {
    const { users, isOpen } = readMembers(body, ['users', 'isOpen']);
    return { users: readList(users, MANY, userIn), isOpen: readBoolean(isOpen) };
  },
};

function databaseIn(item: unknown): MovedDatabase {
  const { name, charset, collation, tables } = readMembers(item, ['name', 'charset', 'collation', 'tables']);
  return {
    name: readText(name, NAME),
    charset: readText(charset, WORD),
    collation: readText(collation, WORD),
    tables: readList(tables, MANY, (table) => {
      const { name: own, isSequence } = readMembers(table, ['name', 'isSequence']);
      return { name: readText(own, NAME), isSequence: readBoolean(isSequence) };
    }),
  };
}

function objectIn(item: unknown): MovedObject {
  const given = readMembers(item, [
    ...(['kind', 'database', 'name', 'definer', 'sqlMode', 'collation', 'timeZone', 'statement'] as const),
  ]);
  return {
    kind: readText(given.kind, OBJECT_KINDS) as MovedObject['kind'],
    database: readText(given.database, NAME),
    name: readText(given.name, NAME),
    definer: readText(given.definer, NAME),
    sqlMode: readText(given.sqlMode, /^[A-Z0-9_,]*$/),
    collation: readText(given.collation, WORD),
    timeZone: readText(given.timeZone, /^[\w/+:-]{1,64}$/),
    statement: readText(given.statement, ANY),
  };
}

function userIn(item: unknown): MovedUser {
  const given = readMembers(item, ['name', 'host', 'definition', 'isLocked', 'grants']);
  return {
    name: readText(given.name, NAME),
    host: readText(given.host, /^[^\0]{0,256}$/u),
    definition: readText(given.definition, ANY), // see `findUserFault`
    isLocked: readBoolean(given.isLocked),
    grants: readList(given.grants, MANY, grantIn),
  };
}

/** Rights on a table or routine name it and its kind; those on columns of a table, the column, too. */
function grantIn(item: unknown): MovedGrant {
  const more = (['object', 'kind', 'column'] as const).filter(
    (name) => typeof item === 'object' && item !== null && Object.hasOwn(item, name),
  );
  const given: Record<string, unknown> = readMembers(item, ['database', 'privileges', 'mayGrant', ...more]);
  const rights = {
    database: readText(given['database'], NAME),
    privileges: readList(given['privileges'], MANY, (each) => readText(each, PRIVILEGE)),
    mayGrant: readBoolean(given['mayGrant']),
  };
  if (more.length === 0) return rights;
  return {
    ...rights,
    object: readText(given['object'], NAME),
    kind: readText(given['kind'], GRANT_KINDS) as NonNullable<MovedGrant['kind']>,
    ...(more.includes('column') && { column: readText(given['column'], NAME) }),
  };
}
