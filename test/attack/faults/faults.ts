import { killCaches } from './killed-cache-writers.ts';
import { stepClock } from './clock-steps.ts';
import { starveDisk } from './disk-faults.ts';
import { killFirstStarts, killInWrites } from './killed-nodes.ts';
import { killHelpers, withoutDescriptors } from './lost-resources.ts';
import { damageFiles, damageLog } from './damaged-files.ts';
import type { Part } from '../part.ts';

/** What befalls a node from outside: each ends in a clear error, loses nothing that was acknowledged, and is over without help. */
export const faults: Part = {
  title: 'faults',
  async run(share) {
    const writes = await killInWrites(Math.ceil(share * 60));
    const starts = await killFirstStarts(Math.ceil(share * 60));
    const lines = [
      ...writes.lines,
      ...starts.lines,
      await killCaches(Math.ceil(share * 40)),
      ...(await damageFiles(share)),
      await damageLog(Math.ceil(share * 20)),
      ...(await starveDisk()),
      await withoutDescriptors(),
      await killHelpers(Math.ceil(share * 50)),
      await stepClock(),
    ];
    return [
      ...lines,
      `in all: ${lines.length} kinds of faults survived; ${writes.kills + starts.kills} nodes killed, ${writes.acknowledged} writes acknowledged, 0 lost`,
    ];
  },
};
