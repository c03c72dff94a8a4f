import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { TestServer, type Person } from '../../support/hostkeep.ts';
import { pick } from '../../support/lists.ts';
import { needs } from '../../support/needs.ts';
import { testSuite } from '../../support/suite.ts';
import { eventually, until } from '../../support/until.ts';

await needs('files');
const test = testSuite('trash');

let server: TestServer;
let ann: Person;
let bob: Person;
test.before(async () => {
  server = await TestServer.start();
  [ann, bob] = [await server.user('anna'), await server.user('bob')];
  for (const { account } of [ann, bob]) mkdirSync(join(account.filesRoot, 'site'), { recursive: true });
  writeFileSync(join(bob.account.filesRoot, 'secret'), 'of bob');
});

interface Task {
  readonly id: string;
  readonly state: string;
  readonly error: string | null;
  readonly files: number;
}
type Body = Readonly<Record<string, unknown>>;
/** Resolves with what became of some entries. */
const results = async (what: 'trash' | 'restore', body: object, by = ann) =>
  (await by.asks<{ results: { id: string; error: string | null }[] }>(`POST /api/files/${what}`, body, 200)).results;
const begin = async (ids: readonly string[] | null, by = ann) =>
  (await by.asks<Task>('POST /api/files/trash/empty', { ids }, 202)).id;
const ended = (id: string, by = ann) =>
  eventually(
    'the task has ended',
    () => by.asks<Task>(`GET /api/files/tasks/${id}`, 200),
    ({ state }) => state !== 'running',
  );
/** Removes for good, and resolves with what became of that. */
const forGood = async (ids: readonly string[] | null, by = ann) => {
  const { state, error, files } = await ended(await begin(ids, by), by);
  return error === null ? [state, files] : [state, error];
};
const listed = async () =>
  pick((await ann.asks<{ removed: { id: string }[] }>('GET /api/files/trash', 200)).removed, 'id');
const here = (path: string) => join(ann.account.filesRoot, path);

test('no path that climbs, or that is ours, is removed, and of a link only itself', async () => {
  for (const path of ['../bob/secret', '/etc/passwd', '.hostkeep/uploads/x', '.hostkeep', 'a\nb', 'x'.repeat(300)])
    await ann.asks('POST /api/files/trash', { paths: [path] }, '400 invalid_path');
  symlinkSync(bob.account.filesRoot, here('link'));
  assert.equal(pick(await results('trash', { paths: ['link/secret', ''] }), 'error'), [
    'folder_not_found',
    'invalid_path',
  ]);
  assert.equal(pick(await results('trash', { paths: ['link', 'nothing'] }), 'error'), [null, 'file_not_found']);
  assert.equal(readdirSync(bob.account.filesRoot).toSorted(), ['secret', 'site']);
  assert.is(readFileSync(join(bob.account.filesRoot, 'secret'), 'utf8'), 'of bob');
});

test('to look into an empty trash leaves nothing behind', async () => {
  await bob.asks('GET /api/files/trash', 200, { removed: [] });
  assert.equal(await forGood(null, bob), ['done', 0]);
  const [restored] = await results('restore', { ids: ['mb1x2y3z-0a1b2c3d'] }, bob);
  assert.is(restored?.error, 'file_not_found');
  assert.equal(readdirSync(bob.account.filesRoot).toSorted(), ['secret', 'site']);
});

test('what was removed is restored where it was, and gone for good when asked', async () => {
  mkdirSync(here('old/deep'), { recursive: true });
  writeFileSync(here('old/deep/file'), 'still here');
  const ids = pick(await results('trash', { paths: ['old'] }), 'id');
  assert.not.ok(existsSync(here('old')));
  const { removed } = await ann.asks<{ removed: Body[] }>('GET /api/files/trash', 200, { kept_days: 30 });
  assert.is(removed[0]?.['path'], '/var/www/html/old');
  mkdirSync(here('old'));
  assert.equal(pick(await results('restore', { ids }), 'error'), ['file_exists'], 'an empty folder keeps its place');
  writeFileSync(here('old/new'), '');
  assert.equal(pick(await results('restore', { ids }), 'error'), ['file_exists']);
  await ann.asks('POST /api/files/move', { from: 'old', to: 'newer' }, 200);
  await results('restore', { ids });
  assert.is(readFileSync(here('old/deep/file'), 'utf8'), 'still here');
  await results('restore', { ids: ['../../../etc-0a1b2c3d'] });
  const again = pick(await results('trash', { paths: ['old'] }), 'id');
  assert.equal(await forGood(['../../../etc-0a1b2c3d', ...again]), ['failed', 'file_not_found']);
  assert.equal((await listed()).slice(0, 1), again);
  assert.equal(await forGood(again), ['done', 3]);
  assert.not.ok(existsSync(here(`.hostkeep/trash/${again[0]}`)));
  assert.equal(await forGood(null), ['done', 1], 'the link of before');
  await ann.asks('GET /api/files/trash', 200, { removed: [] });
});

test('a note that the account has changed hides its own item and no other', async () => {
  for (const name of ['kept', 'changed']) writeFileSync(here(name), '');
  const [kept = '', changed = ''] = pick(await results('trash', { paths: ['kept', 'changed'] }), 'id');
  const note = here(`.hostkeep/trash/${changed}/about.json`);
  const sound = readFileSync(note, 'utf8');
  const forged = (time: string) => {
    const own = here(`.hostkeep/trash/${time}-0a1b2c3d`);
    for (const path of [own, join(own, 'item')]) mkdirSync(path);
    writeFileSync(join(own, 'about.json'), sound);
  };
  const hostile: Record<string, () => unknown> = {
    'a time after all': () => forged('z'.repeat(240)),
    null: () => writeFileSync(note, 'null'),
    'names that lead elsewhere': () => writeFileSync(note, '{"components": ["..", "bob", "new"]}'),
    'names of ours': () => writeFileSync(note, '{"components": [".hostkeep", "new"]}'),
    'the root': () => writeFileSync(note, '{"components": ["."]}'),
    'no names': () => writeFileSync(note, '{"components": -1e308}'),
    'a name that is no text': () => writeFileSync(note, '{"components": [["x"]]}'),
    'a folder': () => mkdirSync(note),
    'a link to elsewhere': () => symlinkSync(join(bob.account.filesRoot, 'secret'), note),
    'a huge file': () => (writeFileSync(note, sound), truncateSync(note, 10 * 2 ** 30)),
    'a pipe': () => execFileSync('mkfifo', [note]),
  };
  for (const [title, write] of Object.entries(hostile)) {
    rmSync(note, { recursive: true, force: true });
    write();
    const { removed } = await ann.asks<{ removed: Body[] }>('GET /api/files/trash', 200);
    assert.equal(pick(removed, 'id'), [kept], title);
    assert.equal(pick(await results('restore', { ids: [changed] }), 'error'), ['file_not_found'], title);
  }
  assert.equal(pick(await results('restore', { ids: [kept] }), 'error'), [null]);
  assert.is((await forGood(null))[0], 'done');
  assert.not.ok(existsSync(here(`.hostkeep/trash/${changed}`)));
  rmSync(here('.hostkeep/trash'), { recursive: true });
});

/** Puts a folder of many files and another entry into the trash; resolves with their ids. */
async function removeMany(n: number): Promise<[string, string]> {
  mkdirSync(here('many'));
  for (let i = 0; i < n; i += 1) writeFileSync(here(`many/${i}`), '');
  writeFileSync(here('few'), '');
  return pick(await results('trash', { paths: ['many', 'few'] }), 'id') as [string, string];
}

test('a removal for good is canceled: what is whole is listed, the next has the rest', async () => {
  const [many, few] = await removeMany(20_000);
  const task = await begin([many, few]);
  await until('it has begun', () => !existsSync(here(`.hostkeep/trash/${many}/item`)));
  const { state } = await ann.asks<Task>(`DELETE /api/files/tasks/${task}`, 200);
  assert.equal([state, await listed()], ['canceled', [few]]);
  assert.ok(existsSync(here(`.hostkeep/trash/${many}`)), 'there is a rest');
  assert.equal(pick(await results('restore', { ids: [many, few] }), 'error'), ['file_not_found', null]);
  assert.is((await forGood(null))[0], 'done');
  assert.equal([readdirSync(here('.hostkeep/trash')), existsSync(here('few'))], [[], true]);
});

test('what is removed while the trash is emptied stays, and a second emptying ends too', async () => {
  const [many, few] = await removeMany(500);
  const tasks = [await begin(null), await begin(null)];
  writeFileSync(here('later'), '');
  const later = pick(await results('trash', { paths: ['later'] }), 'id');
  const ends = await Promise.all(tasks.map((task) => ended(task)));
  assert.equal(
    ends.map(({ state, files }) => [state, files]),
    [
      ['done', 502],
      ['done', 0],
    ],
  );
  assert.equal([await listed(), readdirSync(here('.hostkeep/trash'))], [later, later]);
  assert.equal(pick(await results('restore', { ids: [many, few, ...later] }), 'error'), [
    ...['file_not_found', 'file_not_found', null],
  ]);
});
