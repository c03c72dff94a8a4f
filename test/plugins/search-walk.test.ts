import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { AccountIndex } from '../../plugins/search/indexer/account-index.ts';
import type { SearchQuery } from '../../plugins/search/indexer/index-search.ts';
import { buildTree, walkCount } from '../../plugins/search/indexer/tree-walk.ts';
import { WatchBudget } from '../../plugins/search/indexer/watches.ts';
import { FileTree } from '../../plugins/search/name-index/file-tree.ts';
import { rootAt } from '../support/files-root.ts';
import { temporaryFolder } from '../support/folder.ts';
import { testSuite } from '../support/suite.ts';

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
async function build(maxNames: number): Promise<FileTree> {
  const tree = new FileTree();
  await buildTree(tree, rootAt(root), { shouldStop: () => false, maxNames });
  return tree;
}

test('a walk by two threads makes the tree that a walk by one makes', async () => {
  walkCount.listed = 0;
  const tree = await build(1_000_000);
  const { files, folders } = expected(tree);
  assert.is(walkCount.listed, folders.length);
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
  await buildTree(stopped, rootAt(root), { shouldStop: () => (left -= 1) < 0, maxNames: 1_000_000 });
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
    maxNames: 1000,
    sweepMs: 0,
    budget: new WatchBudget(0),
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
  assert.ok(walked.every(({ isReady }) => !isReady));
  assert.equal(
    walked[1]?.hits?.map(({ path }) => path.join('/')),
    ['report', 'a/report', 'b/report', 'a/Reporting.sql', 'a/deep/report.md', 'b/my report', 'b/xreport'],
  );
  void index.build();
  for (const [i, query] of queries.entries()) {
    const { hits, isReady } = await index.search(query);
    assert.equal(hits, walked[i]?.hits);
    assert.is(isReady, hits !== undefined);
  }
  index.close();
});
