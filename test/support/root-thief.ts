/** A process that tries, as fast as it can, to take files roots that are being made in a folder, or to put others in their place. */
import { readdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** How often a root was seen while it was made, and how often something succeeded. */
export interface Thefts {
  readonly seen: number;
  readonly taken: number;
}

const [parent = ''] = process.argv.slice(2);
let [seen, taken, told] = [0, 0, 0];

function attempt(act: () => void): void {
  try {
    act();
    taken += 1;
  } catch {
    // refused by the system, or made already
  }
}

for (;;) {
  for (const name of readdirSync(parent).filter((each) => each.startsWith('.hostkeep-'))) {
    const workshop = join(parent, name);
    attempt(() => renameSync(workshop, join(parent, 'stolen')));
    attempt(() => renameSync(join(workshop, 'made'), join(parent, 'stolen')));
    attempt(() => symlinkSync('/etc', join(workshop, 'made')));
    attempt(() => readdirSync(workshop));
    seen += 1;
  }
  if (seen === told && taken === 0) continue;
  told = seen;
  process.send?.({ seen, taken } satisfies Thefts);
}
