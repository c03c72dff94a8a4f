import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import * as assert from '../support/assert.ts';
import { removeTree, type Removal } from '../../kernel/kit/jobs/remove-tree.ts';
import { Folder } from '../../kernel/kit/files/safe-folder.ts';
import { rootAt } from '../support/files-root.ts';
import { temporaryFolder } from '../support/folder.ts';
import { openBelow } from '../support/open-below.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('remove-tree');

async function remove(parent: string, name: string, signal?: AbortSignal): Promise<Removal> {
  const folder = await Folder.openRoot(rootAt(parent));
  try {
    return await removeTree(folder, name, signal);
  } finally {
    await folder.close();
  }
}

test('a tree goes with everything in it, and what its links lead to stays', async () => {
  const base = temporaryFolder();
  mkdirSync(join(base, 'outside'));
  writeFileSync(join(base, 'outside/kept'), '');
  mkdirSync(join(base, 'ann/a/b'), { recursive: true });
  for (const name of ['a/b/file', 'a/-rf', '.hidden', 'a/\n']) writeFileSync(join(base, 'ann', name), '');
  writeFileSync(Buffer.concat([Buffer.from(join(base, 'ann/')), Buffer.from([0xff, 0xfe])]), '');
  symlinkSync('../outside', join(base, 'ann/link'));
  symlinkSync('/nowhere', join(base, 'ann/a/dangling'));
  execFileSync('mkfifo', ['--', join(base, 'ann/pipe')]);
  assert.equal(await remove(base, 'ann'), { removed: 11, problem: undefined, isComplete: true });
  assert.equal(readdirSync(base), ['outside']);
  assert.equal(readdirSync(join(base, 'outside')), ['kept']);
  assert.equal(
    await remove(base, 'ann'),
    { removed: 0, problem: undefined, isComplete: true },
    'a second time changes nothing',
  );
  assert.equal(openBelow(base), []);
});

test('a link in place of the folder is removed itself, and so is a file', async () => {
  const base = temporaryFolder();
  mkdirSync(join(base, 'outside'));
  symlinkSync('outside', join(base, 'ann'));
  writeFileSync(join(base, 'bob'), '');
  for (const name of ['ann', 'bob'])
    assert.equal(await remove(base, name), { removed: 1, problem: undefined, isComplete: true });
  assert.equal(readdirSync(base), ['outside']);
});

test('folders may lie deeper than a path is long, and than there are descriptors', async () => {
  const base = temporaryFolder();
  const deep = Array.from({ length: 2000 }, (_, i) => `${i}-${'d'.repeat(100)}`);
  await (await Folder.make(rootAt(join(base, 'ann')), deep)).close();
  assert.equal(await remove(base, 'ann'), { removed: 2001, problem: undefined, isComplete: true });
  assert.equal(readdirSync(base), []);
  assert.equal(openBelow(base), []);
});

/** Keeps making a folder with files and swapping it for a link, whatever is removed. */
const RESTLESS = `
const { mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } = require('node:fs');
const { parentPort, workerData: { path, target } } = require('node:worker_threads');
const steps = [
  () => unlinkSync(path),
  () => mkdirSync(path + '/deep', { recursive: true }),
  () => writeFileSync(path + '/deep/file', ''),
  () => renameSync(path, path + '.aside'),
  () => symlinkSync(target, path),
  () => unlinkSync(path),
  () => renameSync(path + '.aside', path),
];
for (let swaps = 0; ; swaps += 1) {
  for (const step of steps) try { step(); } catch {}
  if (swaps === 10) parentPort.postMessage('running');
}`;

// threat path-prefix: a link swapped in during a removal is not followed
test('swapping a folder for a link to another account gets nothing removed there', async () => {
  const base = temporaryFolder();
  mkdirSync(join(base, 'bob/deep'), { recursive: true });
  for (let i = 0; i < 20; i += 1) writeFileSync(join(base, `bob/deep/${i}`), '');
  const workerData = { path: join(base, 'ann/x'), target: join(base, 'bob') };
  const restless = new Worker(RESTLESS, { eval: true, workerData });
  await once(restless, 'message');
  for (let removed = 0; removed < 2000;) removed += (await remove(base, 'ann')).removed;
  await restless.terminate();
  assert.is(readdirSync(join(base, 'bob/deep')).length, 20);
  await remove(base, 'ann');
  assert.equal(readdirSync(base), ['bob']);
});

test('an aborted removal can be continued', async () => {
  const base = temporaryFolder();
  mkdirSync(join(base, 'ann'));
  for (let i = 0; i < 2000; i += 1) writeFileSync(join(base, `ann/${i}`), '');
  const enough = new AbortController();
  const removing = remove(base, 'ann', enough.signal);
  while (readdirSync(join(base, 'ann')).length === 2000) await new Promise((resolve) => setImmediate(resolve));
  enough.abort();
  assert.is((await removing).isComplete, false);
  const left = readdirSync(join(base, 'ann')).length;
  assert.ok(left > 0 && left < 2000, `${left} left`);
  assert.equal(openBelow(base), []);
  assert.equal(await remove(base, 'ann'), { removed: left + 1, problem: undefined, isComplete: true });
});

if (process.getuid?.() === 0) {
  test('what is mounted in the folder stays, and is named', async () => {
    const base = temporaryFolder();
    mkdirSync(join(base, 'ann/mounted'), { recursive: true });
    mkdirSync(join(base, 'shared'));
    writeFileSync(join(base, 'shared/kept'), '');
    writeFileSync(join(base, 'ann/file'), '');
    const script = 'mount --bind "$1/shared" "$1/ann/mounted" && shift && exec "$@"';
    const run = `import('${new URL('../../kernel/kit/jobs/remove-tree.js', import.meta.url).href}').then(async ({ removeTree }) => {
      const { Folder } = await import('${new URL('../../kernel/kit/files/safe-folder.js', import.meta.url).href}');
      console.log(JSON.stringify(await removeTree(await Folder.openRoot({ path: process.argv[1], operatorPath: process.argv[1], below: [] }), 'ann')));
    })`;
    const out = execFileSync('unshare', ['-m', 'sh', '-c', script, 'sh', base, process.execPath, '-e', run, base]);
    const { removed, problem } = JSON.parse(out.toString()) as Removal;
    assert.is(removed, 1);
    assert.match(problem ?? '', /^"ann\/mounted": is a mounted file system, among others$/);
    assert.ok(existsSync(join(base, 'shared/kept')));
  });
} else {
  test('what the system refuses to remove is named, and everything else is removed', async () => {
    const base = temporaryFolder();
    mkdirSync(join(base, 'ann/locked'), { recursive: true });
    for (const name of ['ann/locked/file', 'ann/file']) writeFileSync(join(base, name), '');
    chmodSync(join(base, 'ann/locked'), 0o500);
    const { removed, problem } = await remove(base, 'ann');
    chmodSync(join(base, 'ann/locked'), 0o700);
    assert.is(removed, 1);
    assert.match(problem ?? '', /^"ann\/locked\/file": EACCES, among others$/);
  });
}
