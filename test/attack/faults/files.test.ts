/** A share of each fault that hits files and disks. */
import * as assert from '../../support/assert.ts';
import { storesInFiles } from '../../support/postgres.ts';
import { Random, testSeed } from '../../support/random.ts';
import { testSuite } from '../../support/suite.ts';
import { damageFiles, damageLog } from './damaged-files.ts';
import { starveDisk } from './disk-faults.ts';
import { killCacheWriters } from './killed-cache-writers.ts';

const test = testSuite('attack: faults of files and disks');
storesInFiles();
const random = new Random(testSeed());

// attack kill-9: in writes of screenshots, indexes, virtual hosts, history and keys
test('files on disk are complete after the process that wrote them was killed', async () => {
  const line = await killCacheWriters(4, random);
  assert.match(
    line,
    /^killed cache writers: 4; complete files: (?=.*\b[1-9]\d* keys\b)(?:[1-9]\d* [a-z-]+(?:, |$)){5,}$/,
  );
});

// attack damaged-files: the start is refused with instructions, or requests fail with 5xx; no reply is wrong
test('damaged files are refused with instructions, or cause no wrong reply', async () => {
  const [kinds = '', pages = ''] = await damageFiles(0.04, random);
  assert.is(kinds, 'damaged files: 12 kinds, 11 refused with instructions');
  assert.match(pages, /^damaged pages: [1-9]\d* of \d+; .*; no wrong reply$/);
});

// attack damaged-files: every write before the damage is kept
test('a damaged write-ahead log keeps every write before the damage', async () => {
  assert.match(await damageLog(2, random), /^damaged write-ahead logs: 2, each kept up to the damage /);
});

// attack disk-faults: writes are refused with 5xx, reads continue, and nothing is lost
test('a full, read-only, vanished or foreign disk causes refusals, and loses nothing', async () => {
  const [full, ...others] = await starveDisk();
  if (full === undefined) return; // the reason was printed
  assert.match(full, /^full disk: [1-9]\d* writes acknowledged, 20 refused, none lost; /);
  assert.equal(
    others.map((line) => line.split(':')[0]),
    ['full files root', 'read-only disk', 'a data folder of another user, or without write permission'],
  );
});
