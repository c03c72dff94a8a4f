import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { buildTree, walkCount } from '../../plugins/search/indexer/tree-walk.ts';
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
