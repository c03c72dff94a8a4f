/** What a node of the fleet may say about databases that it brings. */
import * as assert from '../../support/assert.ts';
import { READERS } from '../../../plugins/database-moves/wire/incoming.ts';
import type { Requests } from '../../../plugins/database-moves/wire/wire.ts';
import { codeOf } from '../../support/code-of.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('databases from other nodes');

const GRANT = { database: 'ann\\_%', privileges: ['SELECT', 'CREATE TEMPORARY TABLES'], mayGrant: false };
const USER = { name: 'ann', host: '%', definition: '', isLocked: false, grants: [GRANT] };
const DATABASE = { name: 'ann_a', charset: 'utf8mb4', collation: 'utf8mb4_general_ci', tables: [] };
const OBJECT = {
  ...{ kind: 'view', database: 'ann_a', name: 'v', definer: 'ann@%', sqlMode: '', collation: 'utf8mb4_general_ci' },
  ...{ timeZone: 'SYSTEM', statement: 'create view v as select 1' },
};
const users = (...grants: readonly unknown[]) => ({ users: [{ ...USER, grants }], isOpen: true });

const SOUND: readonly (readonly [keyof Requests, unknown])[] = [
  ['meet', { probe: 'ann_a', ownership: 'prefix' }],
  ['align', { databases: [{ ...DATABASE, tables: [{ name: 't`', isSequence: false }] }] }],
  [
    'objects',
    { objects: [OBJECT, { ...OBJECT, kind: 'event', timeZone: 'Europe/Berlin', sqlMode: 'ANSI,NO_ZERO_DATE' }] },
  ],
  [
    'users',
    users(
      GRANT,
      { ...GRANT, object: 't', kind: 'table' },
      { ...GRANT, object: 't', kind: 'table', column: 'c' },
      { ...GRANT, object: 'p', kind: 'procedure' },
    ),
  ],
];

/** By what it is; each is sound but for one thing. */
const HOSTILE: Readonly<Record<string, readonly [keyof Requests, unknown]>> = {
  'a kind that makes a superuser': [
    'users',
    users({ ...GRANT, object: 't', kind: "*.* to 'ann'@'%' with grant option -- " }),
  ],
  'a kind without an object': ['users', users({ ...GRANT, kind: 'table' })],
  'a privilege that is a statement': ['users', users({ ...GRANT, privileges: ['ALL ON *.* TO x; GRANT'] })],
  'a privilege that is a list': ['users', users({ ...GRANT, privileges: [['SELECT']] })],
  'a right to grant that is a text': ['users', users({ ...GRANT, mayGrant: 'no' })],
  'a database that is a list': ['users', users({ ...GRANT, database: ['ann_a'] })],
  'an unknown member of a grant': ['users', users({ ...GRANT, more: 1 })],
  'an inherited member': ['users', users(Object.create(GRANT))],
  'a user without grants': ['users', { users: [{ ...USER, grants: undefined }], isOpen: true }],
  'a host that is an object': ['users', { users: [{ ...USER, host: { toString: 'x' } }], isOpen: true }],
  'no list of users': ['users', { users: { length: 1, 0: USER }, isOpen: true }],
  'a name with NUL': ['align', { databases: [{ ...DATABASE, name: 'ann_\0' }] }],
  'a character set that goes on': ['align', { databases: [{ ...DATABASE, charset: "utf8mb4' collate 'x" }] }],
  'a table that is a text': ['align', { databases: [{ ...DATABASE, tables: ['t'] }] }],
  'a kind of object that is none': ['objects', { objects: [{ ...OBJECT, kind: 'view if exists' }] }],
  'an SQL mode that sets more': ['objects', { objects: [{ ...OBJECT, sqlMode: "', global x = '" }] }],
  'a time zone that sets more': ['objects', { objects: [{ ...OBJECT, timeZone: "SYSTEM', x = '" }] }],
  'a statement that is a number': ['objects', { objects: [{ ...OBJECT, statement: 1 }] }],
  'a probe that is a pattern object': ['meet', { probe: { raw: '1' }, ownership: 'prefix' }],
  'no object at all': ['meet', null],
};

test('what a sound node sends is taken as it is', () => {
  for (const [name, body] of SOUND) assert.equal(READERS[name](JSON.parse(JSON.stringify(body))), body, name);
});

// threat fleet-stranger: a node in foreign hands has another node's database server run no statement of its own
test('what a node in foreign hands sends is refused before any statement', async () => {
  for (const [what, [name, body]] of Object.entries(HOSTILE))
    assert.is(await codeOf(Promise.resolve().then(() => READERS[name](body))), 'invalid_request', what);
});
