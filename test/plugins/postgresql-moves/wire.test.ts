/** What a node of the fleet may say about databases of PostgreSQL that it brings, and how dumps are compared. */
import * as assert from '../../support/assert.ts';
import { digested } from '../../../plugins/postgresql-moves/moved-dump.ts';
import { READERS, readMeeting, type Requests } from '../../../plugins/postgresql-moves/wire.ts';
import { codeOf } from '../../support/code-of.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('databases of PostgreSQL from other nodes');

const HASH = 'A'.repeat(43);
const VERIFIER = `SCRAM-SHA-256$4096:c2FsdA==$${HASH}=:${HASH}=`;
const USER = { name: 'ann_app', verifier: VERIFIER };
const ACCESS = { user: 'ann_app', database: 'ann_shop', level: 'read_write' };
const SETTING = { user: 'ann_app', database: 'ann_shop', name: 'search_path', value: 'more, "$user"' };
const MEET = { server: 'main', probe: 'hostkeep-move-0123', version: 150_013 };

const SOUND: readonly (readonly [keyof Requests, unknown])[] = [
  ['meet', MEET],
  ['prepare', { users: [USER, { name: 'ann_none', verifier: null }], databases: ['ann_shop'] }],
  ['prepare', { users: [{ name: 'ann_old', verifier: `md5${'0'.repeat(32)}` }], databases: [] }],
  [
    'access',
    {
      access: [ACCESS, { ...ACCESS, level: 'owner' }],
      settings: [SETTING, { ...SETTING, database: '' }],
      isOpen: true,
    },
  ],
];

/** By what it is; each is sound but for one thing. */
const HOSTILE: Readonly<Record<string, readonly [keyof Requests, unknown]>> = {
  'a name that goes on': ['prepare', { users: [{ ...USER, name: 'ann" superuser --' }], databases: [] }],
  'a verifier that goes on': ['prepare', { users: [{ ...USER, verifier: `${VERIFIER}' superuser` }], databases: [] }],
  'a password that is none': ['prepare', { users: [{ ...USER, verifier: 'secret' }], databases: [] }],
  'a verifier without end': [
    'prepare',
    { users: [{ ...USER, verifier: VERIFIER.replace('c2FsdA', 'A'.repeat(10_000)) }], databases: [] },
  ],
  'a user with rights': ['prepare', { users: [{ ...USER, superuser: true }], databases: [] }],
  'a user without a verifier': ['prepare', { users: [{ name: 'ann_app' }], databases: [] }],
  'a database that is a list': ['prepare', { users: [], databases: [['ann_shop']] }],
  'no list of databases': ['prepare', { users: [], databases: { length: 1, 0: 'ann_shop' } }],
  'a level that is none': ['access', { access: [{ ...ACCESS, level: 'superuser' }], settings: [], isOpen: true }],
  'a level that is inherited': [
    'access',
    { access: [{ ...ACCESS, level: 'constructor' }], settings: [], isOpen: true },
  ],
  'rights without a user': [
    'access',
    { access: [{ database: 'ann_shop', level: 'owner' }], settings: [], isOpen: true },
  ],
  'an opening that is a text': ['access', { access: [], settings: [], isOpen: 'no' }],
  'a setting of who acts': ['access', { access: [], settings: [{ ...SETTING, name: 'Role' }], isOpen: true }],
  'a setting that goes on': ['access', { access: [], settings: [{ ...SETTING, name: 'x" = 1; --' }], isOpen: true }],
  'a value that is a number': ['access', { access: [], settings: [{ ...SETTING, value: 1 }], isOpen: true }],
  'a probe that goes on': ['meet', { ...MEET, probe: "x' or true --" }],
  'a version that is a text': ['meet', { ...MEET, version: '150013' }],
  'no object at all': ['access', null],
};

test('what a sound node sends is taken as it is', () => {
  for (const [name, body] of SOUND) assert.equal(READERS[name](JSON.parse(JSON.stringify(body))), body, name);
  assert.equal(readMeeting({ isSame: true, problem: '' }), { isSame: true, problem: '' });
});

// threat fleet-stranger: a node in foreign hands has another node's server of PostgreSQL run no statement of its own
test('what a node in foreign hands sends is refused before any statement', async () => {
  for (const [what, [name, body]] of Object.entries(HOSTILE))
    assert.is(await codeOf(Promise.resolve().then(() => READERS[name](body))), 'invalid_request', what);
  for (const answer of [null, { isSame: true }, { isSame: 1, problem: '' }, { isSame: true, problem: '', more: 1 }])
    assert.is(await codeOf(Promise.resolve().then(() => readMeeting(answer))), 'invalid_request');
});

async function* pieces(text: string, bytes: number): AsyncGenerator<Buffer> {
  const all = Buffer.from(text);
  for (let at = 0; at < all.length; at += bytes) yield all.subarray(at, at + bytes);
}

async function digestIn(text: string, bytes: number): Promise<string> {
  let found = '';
  const passed: Buffer[] = [];
  for await (const chunk of digested(pieces(text, bytes), (digest) => void (found = digest))) passed.push(chunk);
  assert.is(Buffer.concat(passed).toString(), text);
  return found;
}

test('two dumps of the same have one digest, whatever key they have for psql', async () => {
  const dump = (key: string, rows: string) =>
    `--\n-- PostgreSQL database dump\n--\n\n\\restrict ${key}\n\nCOPY t FROM stdin;\n${rows}\\.\n\n\\unrestrict ${key}\n\n`;
  const rows = 'Grüße 🎉\n'.repeat(2000);
  const digests = await Promise.all(
    [1, 7, 4095, 4096, 65_536].flatMap((bytes) => [
      digestIn(dump('a'.repeat(63), rows), bytes),
      digestIn(dump('b'.repeat(63), rows), bytes),
    ]),
  );
  assert.is(new Set(digests).size, 1);
  assert.is.not(await digestIn(dump('a', `${rows}more\n`), 4096), digests[0]);
  assert.is(await digestIn('\\restrict x\n', 3), await digestIn('\\restrict y\n', 4096));
  assert.is.not(await digestIn('short', 1), await digestIn('shore', 1));
});
