import { closeSync, linkSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import {
  entriesSync,
  openFolderSync,
  openPathSync,
  openRootSync,
  statEntrySync,
} from '../../kernel/kit/files/safe-folder-sync.ts';
import { rootAt } from '../support/files-root.ts';
import { temporaryFolder } from '../support/folder.ts';
import { openBelow } from '../support/open-below.ts';
import { testSuite } from '../support/suite.ts';
import { pick } from '../support/lists.ts';

const test = testSuite('folders below a root, without promises');
const base = temporaryFolder();
const root = join(base, 'root');

test.before(() => {
  mkdirSync(join(root, 'a/b'), { recursive: true });
  mkdirSync(join(base, 'outside/b'), { recursive: true });
  writeFileSync(join(root, 'a/b/file'), 'x');
  symlinkSync(join(base, 'outside'), join(root, 'link'));
  symlinkSync(root, join(base, 'linked-root'));
});

function codeOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

test('folders are opened one by one, also under a root that the operator linked', () => {
  for (const filesRoot of [root, join(base, 'linked-root')]) {
    const folder = openPathSync(rootAt(filesRoot), ['a', 'b']);
    assert.equal(pick(entriesSync(folder, 10), 'name'), ['file']);
    assert.is(statEntrySync(folder, 'file').size, 1);
    closeSync(folder);
  }
});

test('a link is never followed, a name is one component, and nothing stays open', () => {
  assert.is(
    codeOf(() => openPathSync(rootAt(root), ['link', 'b'])),
    'ENOTDIR',
  );
  assert.is(
    codeOf(() => openPathSync(rootAt(root), ['a', 'b', 'file'])),
    'ENOTDIR',
  );
  assert.is(
    codeOf(() => openPathSync(rootAt(root), ['a', 'none'])),
    'ENOENT',
  );
  const folder = openRootSync(rootAt(root));
  assert.ok(statEntrySync(folder, 'link').isSymbolicLink());
  assert.is(
    codeOf(() => openFolderSync(folder, 'link')),
    'ENOTDIR',
  );
  for (const name of ['.', '..', 'a/b', '/etc', '../outside']) {
    assert.is(
      codeOf(() => openFolderSync(folder, name)),
      'invalid_path',
      name,
    );
    assert.is(
      codeOf(() => statEntrySync(folder, name)),
      'invalid_path',
      name,
    );
    assert.is(
      codeOf(() => openPathSync(rootAt(root), [name])),
      'invalid_path',
      name,
    );
  }
  closeSync(folder);
  assert.equal(openBelow(base), []);
});

// threat hostile-files: a folder of a million hard links is not read to its end
test('a large folder is read up to a number of entries', () => {
  const large = join(temporaryFolder(), 'large');
  mkdirSync(large);
  writeFileSync(join(large, 'file'), '');
  const name = 'n'.repeat(200);
  for (let i = 0; i < 1000; i += 1) linkSync(join(large, 'file'), join(large, `${name}${i}`));
  const folder = openRootSync(rootAt(large));
  assert.ok(statSync(large).size > 64 * 1024, 'it counts as large');
  assert.is(entriesSync(folder, 10).length, 10);
  assert.is(entriesSync(folder, 5000).length, 1001);
  closeSync(folder);
});
