/** @slow is a part of the attack */
import * as assert from 'uvu/assert';
import { testSuite } from '../support/suite.ts';
import { killCaches } from './fault-caches.ts';
import { starveDisk } from './fault-disk.ts';
import { damageFiles, damageLog } from './fault-store.ts';

const test = testSuite('attack: faults of files and disks');

/** Those of `faults` that befall what a node keeps on disk, and the figures that each must come to. */
const FAULTS: Readonly<Record<string, readonly [run: () => Promise<string>, figures: RegExp]>> = {
  'pictures, indexes, virtual hosts, history and keys are whole when their writer was killed': [
    () => killCaches(4),
    /^killed writers of caches: 4; whole were [1-9]\d* index, [1-9]\d* keys, [1-9]\d* minutes, [1-9]\d* picture, [1-9]\d* vhost$/,
  ],
  'damaged files are refused with what to do, or read right or not at all': [
    async () => (await damageFiles(0.04)).join('\n'),
    /^damaged files: 10 kinds, 10 refused with what to do\ndamaged pages: [1-9]\d* of \d+; .*; nothing wrong was answered$/,
  ],
  'a damaged log is in force up to the damage': [
    () => damageLog(2),
    /^damaged write-ahead logs: 2, each in force up to the damage /,
  ],
};

for (const [name, [run, figures]] of Object.entries(FAULTS)) test(name, async () => assert.match(await run(), figures));

test('a full, a read-only and a foreign disk refuse what they must, and lose nothing', async () => {
  const [full, ...others] = await starveDisk();
  if (full === undefined) return; // it said that it was skipped
  assert.match(full, /^full disk: [1-9]\d* writes acknowledged, 20 refused, none lost; /);
  assert.equal(
    others.map((line) => line.split(':')[0]),
    ['full files root', 'read-only disk', 'a data folder of another user, or without the right to write'],
  );
});
