/** Loaded into a node before itself: at SIGUSR2 it collects garbage and writes how many bytes are still in use, and which report this is. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/** What is freed by a collection may let go of more in a later turn. */
const COLLECTIONS = 5;

async function usedBytes(collect: () => void): Promise<number> {
  for (let n = 0; n < COLLECTIONS; n += 1) {
    collect();
    await nextTurn();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let reports = 0;
  process.on(
    'SIGUSR2',
    () =>
      void usedBytes(collect).then((bytes) => process.stderr.write(`heap report ${(reports += 1)}: ${bytes} bytes\n`)),
  );
}
