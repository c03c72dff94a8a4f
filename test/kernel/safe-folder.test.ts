import { execFileSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
  type Dirent,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import * as fc from 'fast-check';
import * as assert from '../support/assert.ts';
import { clientPath, pathComponents, entryName } from '../../kernel/kit/files/client-path.ts';
import { Folder } from '../../kernel/kit/files/safe-folder.ts';
import { isMissing } from '../../kernel/kit/files/files-root.ts';
import { HttpError } from '../../kernel/errors.ts';
import { rootAt } from '../support/files-root.ts';
import { temporaryFolder } from '../support/folder.ts';
import { openBelow } from '../support/open-below.ts';
import { testSuite } from '../support/suite.ts';
import { Swapper } from '../support/swap.ts';
import { LITERAL, OUTSIDE } from '../support/traversal.ts';

async function entriesOf(folder: Folder): Promise<Dirent<Buffer>[]> {
  const entries: Dirent<Buffer>[] = [];
  for await (const entry of folder.scan()) entries.push(entry);
  return entries;
}

const test = testSuite('files below a root');
const VIRTUAL = '/var/www/html';
const base = temporaryFolder();
const root = join(base, 'root');
const outside = join(base, 'outside');

test.before(() => {
  mkdirSync(join(root, 'a/b/c'), { recursive: true });
  mkdirSync(join(outside, 'b/c'), { recursive: true });
  writeFileSync(join(root, 'a/file'), 'inside');
  writeFileSync(join(outside, 'file'), 'secret');
  writeFileSync(join(outside, 'b/file'), 'secret');
});

const codeOf = async (work: () => Promise<unknown>) => {
  try {
    await work();
  } catch (error) {
    return error instanceof HttpError ? error.code : (error as NodeJS.ErrnoException).code;
  }
  return 'no error';
};
const missing = async (work: () => Promise<unknown>, why: string) =>
  assert.ok(
    ['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL'].includes((await codeOf(work)) ?? ''),
    `${why}: ${await codeOf(work)}`,
  );

// asvs 5.3.2: paths are opened component by component below the account's files
test('what leads outside is refused, in whatever way it is said', () => {
  for (const path of OUTSIDE)
    assert.throws(
      () => pathComponents(path, VIRTUAL),
      (error: Error) => error instanceof HttpError && error.code === 'invalid_path',
      JSON.stringify(path),
    );
});

test('paths that only look like traversal are names of missing folders', async () => {
  for (const path of LITERAL)
    await missing(
      async () => (await Folder.open(rootAt(root), pathComponents(path, VIRTUAL))).close(),
      JSON.stringify(path),
    );
});

test('a path may be absolute under the virtual root or relative to the files root', () => {
  for (const path of ['a/b', '/var/www/html/a/b', 'a//b/', './a/./b', '/var/www/html//a/b/.'])
    assert.equal(pathComponents(path, VIRTUAL), ['a', 'b'], path);
  for (const path of ['', '/', '.', './', VIRTUAL, `${VIRTUAL}/`])
    assert.equal(pathComponents(path, VIRTUAL), [], path);
  assert.is(clientPath(['a', 'b'], VIRTUAL), '/var/www/html/a/b');
  assert.is(clientPath([], VIRTUAL), VIRTUAL);
});

test('components of any path are plain names', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.constantFrom('.', '..', '/', '\\', 'a', '\0', '%2e', VIRTUAL, '\u00e9')).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, (path) => {
      try {
        for (const name of pathComponents(path, VIRTUAL))
          assert.not.ok(
            name === '' ||
              name === '.' ||
              name === '..' ||
              /[/\u0000-\u001f\u007f]/.test(name) ||
              Buffer.byteLength(name) > 255,
            name,
          );
      } catch (error) {
        assert.instance(error, HttpError);
      }
    }),
    { numRuns: 5000 },
  );
});

test('a link is neither a folder nor a file, at any position and with any target', async () => {
  const links = join(root, 'links');
  mkdirSync(join(links, 'x/y'), { recursive: true });
  const targets = {
    out: outside,
    etc: '/etc',
    inside: join(root, 'a'),
    relative: '../a',
    up: '..',
    here: '.',
    loop: 'loop',
    nowhere: 'nowhere',
    file: join(outside, 'file'),
  };
  for (const [name, target] of Object.entries(targets))
    for (const folder of ['.', 'x', 'x/y']) symlinkSync(target, join(links, folder, name));
  for (const name of Object.keys(targets)) {
    for (const above of [[], ['x'], ['x', 'y']]) {
      for (const below of [[], ['b'], ['b', 'c']]) {
        const path = ['links', ...above, name, ...below];
        await missing(() => Folder.open(rootAt(root), path), path.join('/'));
        await missing(() => Folder.make(rootAt(root), [...path, 'made']), path.join('/'));
      }
      const folder = await Folder.open(rootAt(root), ['links', ...above]);
      await missing(() => folder.file(name), `file ${name}`);
      await missing(() => folder.folder(Buffer.from(name)), `folder ${name}`);
      assert.ok((await folder.statEntry(name)).isSymbolicLink());
      await folder.close();
    }
  }
  assert.equal(readdirSync(outside).toSorted(), ['b', 'file']);
  assert.equal(readdirSync(join(outside, 'b')).toSorted(), ['c', 'file']);
});

test('a name is a single component, even relative to an open folder', async () => {
  const folder = await Folder.open(rootAt(root), ['a']);
  for (const name of ['.', '..', '../..', 'b/c', '/etc', 'b/..', '']) {
    if (name !== '') assert.is(await codeOf(() => folder.folder(name)), 'invalid_path', name);
    else await folder.folder(name).then((same) => same.close());
  }
  assert.is(await codeOf(() => folder.file('../file')), 'invalid_path');
  assert.is(await codeOf(() => folder.statEntry('../../outside')), 'invalid_path');
  await folder.close();
});

// threat path-prefix: folders are opened one by one without following links, also during a race
test('swapping folders for links gets nothing from outside read', async () => {
  const place = join(root, 'raced');
  mkdirSync(join(place, 'b'), { recursive: true });
  writeFileSync(join(place, 'b/file'), 'inside');
  const swapper = new Swapper(place, outside);
  const seen = { read: 0, refused: 0 };
  try {
    while (swapper.swaps < 5000 || seen.read < 100 || seen.refused === 0) {
      try {
        const folder = await Folder.open(rootAt(root), ['raced', 'b']);
        const names = (await entriesOf(folder)).map((entry) => entry.name.toString());
        const file = await folder.file('file');
        assert.is(await file.readFile('utf8'), 'inside');
        assert.equal(names, ['file']);
        await file.close();
        await folder.close();
        seen.read += 1;
      } catch (error) {
        if (!isMissing(error)) throw error;
        seen.refused += 1;
      }
    }
  } finally {
    await swapper.stop();
  }
  assert.equal(openBelow(base), []);
});

test('an open folder stays the same folder when it is moved', async () => {
  mkdirSync(join(root, 'moved/inner'), { recursive: true });
  const folder = await Folder.open(rootAt(root), ['moved']);
  execFileSync('mv', ['--', join(root, 'moved'), join(root, 'elsewhere')]);
  symlinkSync(outside, join(root, 'moved'));
  assert.equal(
    (await entriesOf(folder)).map((entry) => entry.name.toString()),
    ['inner'],
  );
  await folder.close();
});

test('names in any encoding are found by their bytes', async () => {
  const folder = await Folder.make(rootAt(root), ['names']);
  const odd = [
    Buffer.from('new\nline'),
    Buffer.from([0xff, 0xfe, 0x80]),
    Buffer.from('a'.repeat(255)),
    Buffer.from(`${'é'.repeat(127)}x`),
    Buffer.from(' '),
    Buffer.from('-rf'),
    Buffer.from('\u001b[31m'),
  ];
  for (const name of odd) mkdirSync(Buffer.concat([Buffer.from(join(root, 'names/')), name]));
  const names = (await entriesOf(folder)).map((entry) => entry.name);
  const scanned: Buffer[] = [];
  for await (const entry of folder.scan()) if (entry.isDirectory()) scanned.push(entry.name);
  assert.is(names.length, odd.length);
  assert.equal(scanned.toSorted(Buffer.compare), odd.toSorted(Buffer.compare));
  for (const name of names) await (await folder.folder(name)).close();
  await folder.close();
  assert.equal(odd.map(entryName), [
    undefined,
    undefined,
    'a'.repeat(255),
    `${'é'.repeat(127)}x`,
    ' ',
    '-rf',
    undefined,
  ]);
});

test('pipes, sockets and folders are not read as files, and none of them blocks', async () => {
  execFileSync('mkfifo', ['--', join(root, 'a/pipe')]);
  const listener = createServer().listen(join(root, 'a/socket'));
  const folder = await Folder.open(rootAt(root), ['a']);
  for (const name of ['pipe', 'b']) assert.is(await codeOf(() => folder.file(name)), 'EINVAL', name);
  assert.is(await codeOf(() => folder.file('socket')), 'ENXIO');
  for (const name of ['pipe', 'socket', 'file']) await missing(() => folder.folder(name), name);
  await folder.close();
  listener.close();
});

test('folders may lie deeper than a path is long', async () => {
  const deep = Array.from({ length: 150 }, (_, i) => `${i}-${'d'.repeat(200)}`);
  await (await Folder.make(rootAt(root), deep)).close();
  const folder = await Folder.open(rootAt(root), deep);
  assert.is((await entriesOf(folder)).length, 0);
  await folder.close();
  execFileSync('rm', ['-rf', '--', join(root, deep[0] ?? '')]);
});

test('a missing files root is created with the first folder in it', async () => {
  const nowhere = join(base, 'later');
  assert.is(await codeOf(() => Folder.open(rootAt(nowhere), [])), 'ENOENT');
  assert.is(await Folder.find(rootAt(nowhere), []), undefined);
  assert.is(await codeOf(() => Folder.find(rootAt(nowhere), ['x'])), 'folder_not_found');
  assert.is(await codeOf(() => Folder.find(rootAt(root), ['a', 'file'])), 'folder_not_found');
  assert.not.ok(existsSync(nowhere));
  await (await Folder.make(rootAt(nowhere), ['x'])).close();
  assert.is(statSync(nowhere).mode & 0o777, 0o750);
});

test('a new folder belongs to the owner of its parent, and an existing one is reused', async () => {
  const owned = join(root, 'owned');
  mkdirSync(owned);
  if (process.getuid?.() === 0) chownSync(owned, 1234, 1235);
  const folder = await Folder.make(rootAt(root), ['owned', 'x', 'y']);
  const { uid, gid } = await folder.stat();
  assert.equal([uid, gid], [statSync(owned).uid, statSync(owned).gid]);
  await folder.close();
  await Promise.all(
    Array.from({ length: 20 }, async () => (await Folder.make(rootAt(root), ['owned', 'x', 'z'])).close()),
  );
  assert.is(await codeOf(() => Folder.make(rootAt(root), ['a', 'file', 'x'])), 'ENOTDIR');
});

test('no descriptor stays open after any failure', async () => {
  for (const path of [
    ['a', 'b', 'c'],
    ['a', 'nothing'],
    ['a', 'file', 'x'],
    ['links', 'out'],
    ['a', 'b', '..'],
  ]) {
    await Folder.open(rootAt(root), path).then(
      (folder) => folder.close(),
      () => undefined,
    );
    await Folder.make(rootAt(root), path).then(
      (folder) => folder.close(),
      () => undefined,
    );
  }
  const folder = await Folder.open(rootAt(root), ['a']);
  for await (const entry of folder.scan()) if (entry.name.length > 0) break;
  for (const name of ['b', 'nothing', '..']) assert.ok(await codeOf(() => folder.file(name)), name);
  await folder.close();
  assert.equal(openBelow(base), []);
});
