/** Preloaded into a node: on SIGUSR2 it collects garbage, then prints the bytes in use and the number of the report. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';
import { garbageCollector } from './garbage.ts';

/** Finalizers of one collection may release more memory for the next. */
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
  const collect = garbageCollector();
  let reports = 0;
  process.on(
    'SIGUSR2',
    () =>
      void usedBytes(collect).then((bytes) => process.stderr.write(`heap report ${(reports += 1)}: ${bytes} bytes\n`)),
  );
}
