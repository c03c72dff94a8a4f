import { mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { AccountIndex } from '../../../plugins/search/indexer/account-index.ts';
import { counts } from '../../../plugins/search/indexer/counts.ts';
import type { SearchQuery } from '../../../plugins/search/indexer/index-search.ts';
import { buildTree, compareTree } from '../../../plugins/search/indexer/tree-walk.ts';
import { Watches } from '../../../plugins/search/indexer/watches.ts';
import { FileTree } from '../../../plugins/search/name-index/file-tree.ts';
import { rootAt } from '../../support/files-root.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';

const test = testSuite('long walks');
const root = temporaryFolder();
const SITES = 9;
const FOLDERS = 400;

test.before(() => {
  for (let site = 0; site < SITES; site += 1)
    for (let i = 0; i < FOLDERS; i += 1) {
      const folder = join(root, `site-${site}`, `a${i % 20}`, `b${i}`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `Ünï-${i}.txt`), '');
      writeFileSync(join(folder, `of site ${site}`), '');
    }
  symlinkSync(join(root, 'site-0'), join(root, 'site-1/link'));
});

/** Names in the order in which a walk by one thread numbers them. */
function expected(tree: FileTree): { files: string[]; folders: string[] } {
  const [files, folders]: [string[], string[]] = [[], ['']];
  const visit = (path: string): void => {
    const entries = readdirSync(join(root, path), { withFileTypes: true });
    const own = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    files.push(
      ...entries
        .filter((entry) => entry.isFile())
        .map(({ name }) => join(path, name))
        .toSorted(),
    );
    folders.push(...own.toSorted().map((name) => join(path, name)));
    for (const name of own.toSorted()) visit(join(path, name));
  };
  visit('');
  assert.is(tree.files.count, files.length);
  return { files, folders };
}
const ROOM = { maxNames: 1000, maxInFolder: 1_000_000, maxBytes: 2 ** 30 };
async function build(maxNames: number): Promise<FileTree> {
  const tree = new FileTree();
  await buildTree(tree, rootAt(root), { ...ROOM, shouldStop: () => false, maxNames });
  return tree;
}

test('a walk by two threads makes the tree that a walk by one makes', async () => {
  counts.foldersListed = 0;
  const tree = await build(1_000_000);
  const { files, folders } = expected(tree);
  assert.is(counts.foldersListed, folders.length);
  const filePath = (id: number) => [...tree.path(tree.files.parent(id)), tree.files.name(id)].join('/');
  assert.equal(
    Array.from({ length: tree.files.count }, (_, id) => filePath(id)),
    files,
  );
  assert.equal(
    Array.from({ length: tree.folders.count }, (_, id) => tree.path(id).join('/')),
    folders,
  );
});

test('a walk by two threads takes no more names than it may, and stops when it is to', async () => {
  const tree = await build(3000);
  assert.ok(tree.files.count + tree.folders.count >= 3000);
  assert.ok(tree.files.count + tree.folders.count < 6100);
  let left = 1500;
  const stopped = new FileTree();
  await buildTree(stopped, rootAt(root), { ...ROOM, shouldStop: () => (left -= 1) < 0, maxNames: 1_000_000 });
  assert.ok(stopped.files.count < SITES * FOLDERS * 2);
});

test('before there is an index, a bounded walk finds the same, in the same order', async () => {
  const folder = temporaryFolder();
  for (const name of [
    'report',
    'b/report',
    'a/report',
    'a/deep/report.md',
    'a/Reporting.sql',
    'b/my report',
    'b/xreport',
  ]) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), name);
  }
  symlinkSync(join(folder, 'a'), join(folder, 'report link'));
  const index = new AccountIndex({
    file: join(temporaryFolder(), 'index'),
    root: rootAt(folder),
    ...ROOM,
    sweepMs: 0,
    maxWatches: 0,
    onFailure: (error) => assert.unreachable(String(error)),
  });
  const all: SearchQuery = { kind: 'files', text: '', extension: '', folder: [], limit: 100 };
  const queries: SearchQuery[] = [
    ...[all, { ...all, text: 'REPORT' }, { ...all, text: 're', limit: 3 }, { ...all, extension: 'sql' }],
    ...[
      { ...all, folder: ['a'] },
      { ...all, folder: ['none'] },
      { ...all, kind: 'folders' as const },
    ],
  ];
  const walked = await Promise.all(queries.map((query) => index.search(query)));
  assert.ok(walked.every(({ source }) => source === 'building'));
  assert.equal(
    walked[1]?.hits?.map(({ path }) => path.join('/')),
    ['report', 'a/report', 'b/report', 'a/Reporting.sql', 'a/deep/report.md', 'b/my report', 'b/xreport'],
  );
  void index.build();
  for (const [i, query] of queries.entries()) {
    const { hits, source } = await index.search(query);
    assert.equal(hits, walked[i]?.hits);
    assert.is(source, hits === undefined ? 'building' : 'ready');
  }
  index.close();
});

// threat crowding-out: an account's own files, however many, do not end its searches
test('an index that lacks names says so: of one folder, of all, by number and by size', async () => {
  const folder = temporaryFolder();
  for (const name of ['many', 'few']) mkdirSync(join(folder, name));
  for (let i = 0; i < 500; i += 1) writeFileSync(join(folder, 'many', `${'long'.repeat(50)}-${i}`), ''); // above 64 KiB
  for (let i = 0; i < 5; i += 1) writeFileSync(join(folder, 'few', `file-${i}`), '');
  const file = join(temporaryFolder(), 'index');
  const all: SearchQuery = { kind: 'files', text: '', extension: '', folder: [], limit: 1000 };
  const found = async (over: Partial<typeof ROOM>, isLoaded = false) => {
    const onFailure = (error: unknown) => assert.unreachable(String(error));
    const index = new AccountIndex({
      file,
      root: rootAt(folder),
      ...ROOM,
      ...over,
      sweepMs: 0,
      maxWatches: 0,
      onFailure,
    });
    if (isLoaded) assert.ok(index.load());
    else await index.build();
    const { hits, source } = await index.search(all);
    index.close();
    return [hits?.length, source];
  };
  assert.equal(await found({}), [505, 'ready']);
  assert.equal(await found({ maxInFolder: 100 }), [105, 'partial']);
  assert.equal(await found({ maxInFolder: 100 }, true), [105, 'partial'], 'after it was loaded too');
  assert.is((await found({ maxNames: 300 }))[1], 'partial');
  assert.is((await found({ maxBytes: 10_000 }))[1], 'partial');
  for (let i = 100; i < 500; i += 1) rmSync(join(folder, 'many', `${'long'.repeat(50)}-${i}`));
  assert.equal(await found({ maxInFolder: 101 }, true), [105, 'ready'], 'until there are few enough');
});

/** Makes folders that were changed one after the other, long ago. Returns the folder that holds them. */
function oldFolders(count: number): string {
  const folder = temporaryFolder();
  const names = Array.from({ length: count }, (_, i) => join(folder, `f${i}`));
  for (const name of names) {
    mkdirSync(name);
    writeFileSync(join(name, 'old'), '');
  }
  for (const [i, name] of [...names, folder].entries()) utimesSync(name, 1e9 + i, 1e9 + i);
  return folder;
}

test('of many folders, those are watched that changed last', async () => {
  const folder = oldFolders(9);
  const tree = new FileTree();
  const changed = new Set<string>();
  const watches = new Watches(3, (id) => changed.add(tree.folders.name(id)));
  const options = { watches, shouldStop: () => false, ...ROOM };
  await buildTree(tree, rootAt(folder), { ...options, watches: new Watches(0, () => undefined) });
  watches.wantSince(tree.changedSince(3));
  assert.not((await compareTree(tree, rootAt(folder), options)).hasChanged);
  watches.wantSince(Number.NaN);
  assert.is(watches.count, 3);
  assert.ok(watches.isPartial);
  for (const name of ['f0', 'f7', 'f8']) writeFileSync(join(folder, name, 'new'), '');
  await until('two folders are reported', () => changed.size === 2);
  assert.equal([...changed].toSorted(), ['f7', 'f8']);
  assert.ok((await compareTree(tree, rootAt(folder), options)).hasChanged);
  assert.is(watches.count, 3);
  writeFileSync(join(folder, 'f0', 'newer'), '');
  await until('the folder is watched now', () => changed.has('f0'));
  watches.close();
});

test('files in folders that are not watched are found while searches go on', async () => {
  const folder = oldFolders(9);
  const index = new AccountIndex({
    file: join(temporaryFolder(), 'index'),
    root: rootAt(folder),
    ...ROOM,
    sweepMs: 1e9,
    maxWatches: 2,
    onFailure: (error) => assert.unreachable(String(error)),
  });
  const query: SearchQuery = { kind: 'files', text: 'new', extension: '', folder: [], limit: 100 };
  void index.build();
  await until('two folders are watched', async () => {
    const { source } = await index.search(query);
    return source === 'ready' && index.counts.watches === 2;
  });
  for (let i = 0; i < 9; i += 1) writeFileSync(join(folder, `f${i}`, 'new'), '');
  await until('all are found', async () => (await index.search(query)).hits?.length === 9);
  assert.is(index.counts.watches, 2);
  index.close();
});
