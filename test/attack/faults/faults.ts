import { Random } from '../../support/random.ts';
import type { Part } from '../part.ts';
import { stepClock } from './clock-steps.ts';
import { damageFiles, damageLog } from './damaged-files.ts';
import { starveDisk } from './disk-faults.ts';
import { exhaustDescriptors } from './exhausted-descriptors.ts';
import { killCacheWriters } from './killed-cache-writers.ts';
import { killHelpers } from './killed-helpers.ts';
import { killDuringWrites, killFirstStarts } from './killed-nodes.ts';

export const faults: Part = {
  title: 'kills, damaged files, full disks, exhausted descriptors and clock steps',
  async run(share, seed) {
    const random = new Random(seed);
    const writes = await killDuringWrites(Math.ceil(share * 60), random);
    const starts = await killFirstStarts(Math.ceil(share * 60), random);
    const lines = [
      ...writes.lines,
      ...starts.lines,
      await killCacheWriters(Math.ceil(share * 40), random),
      ...(await damageFiles(share, random)),
      await damageLog(Math.ceil(share * 20), random),
      ...(await starveDisk()),
      await exhaustDescriptors(),
      await killHelpers(Math.ceil(share * 50), random),
      await stepClock(),
    ];
    const total = `${writes.kills + starts.kills} nodes killed, ${writes.acknowledged} writes acknowledged, none lost`;
    return [...lines, `in all: ${lines.length} kinds of faults survived; ${total}`];
  },
};
