import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { forEachKept, keptAt, KeptItems } from '../../kernel/kit/files/kept-items/kept-items.ts';
import { fail } from '../../kernel/errors.ts';
import * as assert from '../support/assert.ts';
import { rootAt } from '../support/files-root.ts';
import { temporaryFolder } from '../support/folder.ts';
import { pick } from '../support/lists.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('kept items');
const base = temporaryFolder();
const folder = join(base, '.hostkeep/attic');
const outside = join(temporaryFolder(), 'outside');

const items = new KeptItems<{ readonly was: string }>(rootAt(base), 'attic', (json) => {
  const { was } = json as { readonly was?: unknown };
  if (was === 'refused') throw fail.invalid_path('not there');
  return typeof was === 'string' ? { was } : undefined;
});
const put = (was: string) => {
  writeFileSync(join(base, was), was);
  return items.put({ was }, ({ path }) => renameSync(join(base, was), path));
};
const errors = (ids: readonly string[], act: (id: string) => unknown = (id) => items.note(id)) =>
  pick(
    forEachKept(ids, (id) => String(act(id))),
    'error',
  );

test('what is not there is not found, and to look leaves nothing behind', async () => {
  assert.equal([items.ids(), items.list()], [[], []]);
  const none = ['mb1x2y3z-0a1b2c3d', '../../etc', '', 'zzzzzzzzzz-0a1b2c3d'];
  assert.equal(errors(none), Array(none.length).fill('file_not_found'));
  assert.equal(
    errors(none, (id) => items.take(id, () => undefined)),
    Array(none.length).fill('file_not_found'),
  );
  assert.is(await items.remove(['..']).catch(({ code }: { code: string }) => code), 'file_not_found');
  assert.equal(readdirSync(base), []);
});

test('an item that was not moved leaves nothing, and one that is not moved back stays', () => {
  assert.equal(
    forEachKept(['x'], () => items.put({ was: 'x' }, ({ path }) => renameSync(join(base, 'none'), path))),
    [{ text: '', error: 'file_not_found', detail: 'there is no such file' }],
  );
  assert.equal(readdirSync(folder), []);
  const id = put('stays');
  const refuse = () => {
    throw fail.file_exists('taken');
  };
  assert.equal(
    errors([id], (each) => items.take(each, refuse)),
    ['file_exists'],
  );
  assert.equal(pick(items.list(), 'note'), [{ was: 'stays' }]);
  const back = join(base, 'back');
  assert.equal(
    items.take(id, ({ path }) => renameSync(path, back)),
    { was: 'stays' },
  );
  assert.equal([readFileSync(back, 'utf8'), readdirSync(folder)], ['stays', []]);
});

test('a note that the account has changed hides its own item and no other', async () => {
  const [kept, changed] = [put('kept'), put('changed')];
  const own = join(folder, changed);
  const note = join(own, 'about.json');
  const sound = readFileSync(note);
  writeFileSync(outside, sound);
  const socket = createServer();
  const hostile: Record<string, () => unknown> = {
    nothing: () => undefined,
    'a huge file': () => (writeFileSync(note, sound), truncateSync(note, 10 * 2 ** 30)),
    'a byte too many': () => writeFileSync(note, `${String(sound)}${' '.repeat(2 ** 16 + 1 - sound.length)}`),
    'a pipe': () => execFileSync('mkfifo', [note]),
    'a socket': () => once(socket.listen(note), 'listening'),
    'a link to elsewhere': () => symlinkSync(outside, note),
    'a folder': () => mkdirSync(note),
    'no JSON': () => writeFileSync(note, '{'),
    'deep JSON': () => writeFileSync(note, '['.repeat(60_000)),
    'a number': () => writeFileSync(note, '-1e308'),
    'another type': () => writeFileSync(note, '{"was": -1e308}'),
    'what is refused': () => writeFileSync(note, '{"was": "refused"}'),
    'no item': () => (writeFileSync(note, sound), rmSync(join(own, 'item'))),
    'a link to a folder': () => (rmSync(own, { recursive: true }), symlinkSync(join(folder, kept), own)),
  };
  for (const [title, write] of Object.entries(hostile)) {
    rmSync(note, { recursive: true, force: true });
    await write();
    assert.equal(pick(items.list(), 'id'), [kept], title);
    assert.equal(errors([changed]), ['file_not_found'], title);
    socket.close();
  }
  await items.remove([changed]);
  assert.equal([pick(items.list(), 'id'), existsSync(outside)], [[kept], true], 'what the link led to is there');
});

test('of an item on its way out nobody gets half, and the next removal takes the rest', async () => {
  const [first, second] = ['first', 'second'].map((was) =>
    items.put({ was }, ({ path }) => {
      mkdirSync(path);
      for (const name of ['a', 'b', 'c']) writeFileSync(join(path, name), was);
    }),
  ) as [string, string];
  const listed = pick(items.list(), 'id').filter((id) => id !== first);
  const killed = items.remove([first, second], () => {
    assert.equal([errors([first]), pick(items.list(), 'id')], [['file_not_found'], listed]);
    assert.is(existsSync(join(folder, first, 'item')), false, 'whichever of its names went first');
    throw new Error('killed');
  });
  assert.is(await killed.catch(({ message }: Error) => message), 'killed');
  assert.equal(
    errors([first], (id) => items.take(id, ({ path }) => renameSync(path, join(base, 'half')))),
    ['file_not_found'],
  );
  assert.equal([pick(items.list(), 'id'), items.ids().includes(first)], [listed, true]);
  let gone = 0;
  await items.remove([first, second], () => (gone += 1));
  assert.equal([gone, items.ids().filter((id) => id === first || id === second)], [3 + 4, []]);
});

test('a restore and a removal at once: either has the whole item', () => {
  const [lost, won] = [put('lost'), put('won')];
  const own = (id: string) => join(folder, id);
  const back = join(base, 'back-again');
  const restore = (id: string, before: () => unknown, after: () => unknown) =>
    errors([id], () => String(items.take(id, ({ path }) => (before(), renameSync(path, back), after())).was));
  const hide = () => renameSync(join(own(lost), 'item'), join(own(lost), 'going-x'));
  assert.equal(
    restore(lost, hide, () => undefined),
    ['file_not_found'],
  );
  assert.is(existsSync(back), false);
  assert.equal(
    restore(
      won,
      () => undefined,
      () => rmSync(own(won), { recursive: true }),
    ),
    [undefined],
  );
  assert.is(readFileSync(back, 'utf8'), 'won');
});

test('ids tell when an item was kept, and no folder has one of another time', () => {
  const before = Date.now();
  const id = put('now');
  assert.ok(keptAt(id) >= before && keptAt(id) <= Date.now());
  const all = items.ids().toSorted();
  for (const time of ['z'.repeat(10), 'z'.repeat(240), '-1', '']) mkdirSync(join(folder, `${time}-0a1b2c3d`));
  assert.equal(items.ids().toSorted(), all);
});

test('large notes are listed as far as a reply holds them', () => {
  const ids = Array.from({ length: 100 }, () => items.put({ was: 'x'.repeat(60_000) }, ({ path }) => mkdirSync(path)));
  const listed = items.list();
  assert.ok(listed.length > 50 && listed.length < ids.length, String(listed.length));
});
