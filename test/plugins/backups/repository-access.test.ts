import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { RepositoryAccess, type AccessOptions } from '../../../kernel/kit/restic/repository-access.ts';
import { codeOf } from '../../support/code-of.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('backups: access to a repository');
const hashOf = (content: string) => createHash('sha256').update(content).digest('hex');
const KEPT = hashOf('kept');

/** A repository with an object of each kind. */
function repository(): string {
  const folder = temporaryFolder();
  for (const kind of ['keys', 'index', 'snapshots', 'locks', 'incomplete', `data/${KEPT.slice(0, 2)}`])
    mkdirSync(join(folder, kind), { recursive: true });
  writeFileSync(join(folder, 'config'), 'config');
  for (const path of ['keys', 'index', 'snapshots', `data/${KEPT.slice(0, 2)}`])
    writeFileSync(join(folder, path, KEPT), 'kept');
  return folder;
}
const open = (folder: string, over: Partial<AccessOptions> = {}) => {
  const access = new RepositoryAccess(folder, { mayAdd: true, freeBytes: 1000, reserveBytes: 0, ...over });
  const ask = async (question: unknown, bytes = '') => {
    const { answer, bytes: given } = await access.answer(question, Buffer.from(bytes));
    return given.length > 0 ? Buffer.from(given).toString() : answer;
  };
  const add = async (kind: string, content: string, name = hashOf(content)) => {
    const upload = await ask({ repository: 'begin', kind, name });
    await ask({ repository: 'write', upload }, content);
    return ask({ repository: 'end', upload });
  };
  return { access, ask, add };
};

// threat hostile-files: a process in foreign hands can destroy no backup, and reach nothing but its repository
test('what a run asks is checked, whoever asks it', async () => {
  const { ask } = open(repository());
  const strange = [
    ...[
      null,
      1,
      'read',
      {},
      { repository: 'remove', kind: 'data', name: KEPT },
      { repository: 'list', kind: 'config' },
    ],
    ...['locks', 'incomplete', '..', '', '__proto__'].map((kind) => ({ repository: 'stat', kind, name: KEPT })),
    ...['', '.', '../config', KEPT.toUpperCase(), `${KEPT}/x`, `${KEPT}\n`, [KEPT]].map((name) => ({
      ...{ repository: 'stat', kind: 'keys', name },
    })),
    { repository: 'stat', kind: 'config', name: KEPT },
    ...[-1, 0.5, '0', 2 ** 40].map((offset) => ({ repository: 'read', kind: 'keys', name: KEPT, offset, length: 1 })),
    { repository: 'read', kind: 'keys', name: KEPT, offset: 0, length: 1 << 20 },
    { repository: 'begin', kind: 'data', name: '' },
    ...[7, -1, '0', null].map((upload) => ({ repository: 'write', upload })),
  ];
  for (const question of strange) assert.is(await codeOf(ask(question)), 'invalid_request', JSON.stringify(question));
});

test('an object that a clean-up removed meanwhile is told as such', async () => {
  const { ask } = open(repository(), { mayAdd: false });
  assert.is(
    await codeOf(ask({ repository: 'read', kind: 'index', name: hashOf('gone'), offset: 0, length: 1 })),
    'backup_unreadable',
  );
});

test('a run reads all of its repository', async () => {
  const { ask } = open(repository(), { mayAdd: false });
  assert.is(await ask({ repository: 'read', kind: 'config', name: '', offset: 0, length: 100 }), 'config');
  assert.is(await ask({ repository: 'read', kind: 'data', name: KEPT, offset: 1, length: 2 }), 'ep');
  for (const kind of ['keys', 'data', 'index', 'snapshots'])
    assert.equal(await ask({ repository: 'list', kind }), [{ name: KEPT, size: 4 }]);
  assert.equal(
    [
      await ask({ repository: 'stat', kind: 'index', name: KEPT }),
      await ask({ repository: 'stat', kind: 'index', name: hashOf('') }),
    ],
    [4, null],
  );
});

test('a run adds what has the hash of its name, and changes nothing', async () => {
  const folder = repository();
  const { add, access } = open(folder);
  assert.is(await add('data', 'new'), null);
  assert.is(readFileSync(join(folder, 'data', hashOf('new').slice(0, 2), hashOf('new')), 'utf8'), 'new');
  assert.is(await codeOf(add('data', 'forged', KEPT)), 'invalid_request');
  for (const kind of ['keys', 'config']) assert.is(await codeOf(add(kind, 'mine')), 'invalid_request');
  writeFileSync(join(folder, 'index', hashOf('there')), 'was there');
  assert.is(await add('index', 'there'), null);
  assert.is(readFileSync(join(folder, 'index', hashOf('there')), 'utf8'), 'was there');
  const added = access.added(async () => {
    assert.is(await add('snapshots', 'one'), null);
    assert.is(await codeOf(add('snapshots', 'two')), 'invalid_request');
  });
  assert.is(await added, hashOf('one'));
  await access.close();
  assert.equal(readdirSync(join(folder, 'incomplete')), []);
  assert.is(await codeOf(add('data', 'late')), 'overloaded');
});

test('a run that only reads adds nothing, and one that adds stays within its room', async () => {
  assert.is(await codeOf(open(repository(), { mayAdd: false }).add('data', 'new')), 'invalid_request');
  const { add, access } = open(repository(), { freeBytes: 10 });
  assert.is(await add('data', '12345678'), null);
  assert.is(await codeOf(add('data', 'abc')), 'backups_full');
  assert.is(access.addedBytes, 11);
  assert.is(await codeOf(open(repository(), { reserveBytes: 2 ** 62 }).add('data', 'new')), 'no_space');
});
