import * as assert from '../support/assert.ts';
import { MovedTree } from '../../kernel/areas/moves/moved-tree.ts';
import type { JobPool } from '../../kernel/kit/jobs/job-pool.ts';
import { codeOf } from '../support/code-of.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('moved tree');
const MIB = 2 ** 20;

/** Unpacks so many pieces of a mebibyte. Resolves with the error, and with the pieces that were written. */
async function unpacked(pieces: number, free: { readonly bytes: number; readonly inodes: number }) {
  let written = 0;
  const run = async (_job: unknown, _owner: unknown, { task }: { readonly task: string }) => {
    if (task === 'write') written += 1;
    return task === 'room' ? { extent: { ...free, exists: true } } : null;
  };
  const pool = { run } as unknown as JobPool;
  const tree = new MovedTree(pool, { key: 1 }, new AbortController().signal);
  async function* archive() {
    for (let i = 0; i < pieces; i += 1) yield Buffer.alloc(MIB);
  }
  return [await codeOf(tree.unpack(archive())), written];
}

// threat hostile-files: another node sends no more than the disk has room for, whatever it has announced
test('an archive ends before it fills the disk with bytes or files', async () => {
  const plenty = 2 ** 40;
  assert.equal(await unpacked(20, { bytes: 60 * MIB, inodes: plenty }), ['move_refused', 4]);
  assert.equal(await unpacked(20, { bytes: plenty, inodes: 1000 }), ['move_refused', 4]);
  assert.equal(await unpacked(20, { bytes: plenty, inodes: plenty }), ['done', 20]);
});
