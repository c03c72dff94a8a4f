/**
 * A process that tries, as fast as it can, to take files roots that are being made in a folder, or to put others in their place. It
 * prints `seen` for each that it sees meanwhile, and `taken` for each attempt that succeeds.
 */
import { readdirSync, renameSync, symlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const [parent = ''] = process.argv.slice(2);

const OUTPUT = 1; // not `process.stdout`, which would have it wait for turns of an event loop
const print = (line: string) => writeSync(OUTPUT, `${line}\n`);

function attempt(act: () => void): void {
  try {
    act();
  } catch {
    return; // refused by the system, or made already
  }
  print('taken');
}

/**
 * Sleeps for a moment between two looks. Where it shares a processor, one that looks all the time gets its turns when the maker waits
 * for the folder, and then nothing is being made.
 */
const clock = new Int32Array(new SharedArrayBuffer(4));

for (; ; Atomics.wait(clock, 0, 0, 0.1))
  for (const name of readdirSync(parent).filter((each) => each.startsWith('.hostkeep-'))) {
    const workshop = join(parent, name);
    attempt(() => renameSync(workshop, join(parent, 'stolen')));
    attempt(() => renameSync(join(workshop, 'made'), join(parent, 'stolen')));
    attempt(() => symlinkSync('/etc', join(workshop, 'made')));
    attempt(() => readdirSync(workshop));
    print('seen');
  }
