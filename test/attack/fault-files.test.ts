import * as assert from 'uvu/assert';
import { testSuite } from '../support/suite.ts';
import { killCaches } from './fault-caches.ts';
import { starveDisk } from './fault-disk.ts';
import { damageFiles, damageLog } from './fault-store.ts';

const test = testSuite('attack: faults of files and disks');

/** Those of `faults` that befall what a node keeps on disk. */
const FAULTS: Readonly<Record<string, () => Promise<unknown>>> = {
  'pictures, indexes, virtual hosts, history and keys are whole when their writer was killed': () => killCaches(4),
  'damaged files are refused with what to do, or read right or not at all': () => damageFiles(0.04),
  'a damaged log is in force up to the damage': () => damageLog(2),
  'a full, a read-only and a foreign disk refuse what they must, and lose nothing': () => starveDisk(),
};

for (const [name, run] of Object.entries(FAULTS)) test(name, async () => assert.ok(await run()));
