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

type Body = Readonly<Record<string, unknown>>;
/** Resolves with what became of some entries. */
const results = async (what: 'trash' | 'restore' | 'trash/empty', body: object, by = ann) =>
  (await by.asks<{ results: { id: string; error: string | null }[] }>(`POST /api/files/${what}`, body, 200)).results;
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
  assert.equal(await results('trash/empty', { ids: null }, bob), []);
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
  await results('trash/empty', { ids: again });
  assert.not.ok(existsSync(here(`.hostkeep/trash/${again[0]}`)));
  await results('trash/empty', { ids: null });
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
  await results('trash/empty', { ids: null });
  assert.not.ok(existsSync(here(`.hostkeep/trash/${changed}`)));
});
