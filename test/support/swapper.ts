/** The worker script of `Swapper`: swaps a folder for a link and back as fast as it can, until stopped. */
import { renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { SwapperData } from './swap.ts';

const { path, target, state } = workerData as SwapperData;
const [stop, swaps] = [new Int32Array(state, 0, 1), new Int32Array(state, 4, 1)];
while (Atomics.load(stop, 0) === 0) {
  renameSync(path, `${path}.aside`);
  symlinkSync(target, path);
  unlinkSync(path);
  renameSync(`${path}.aside`, path);
  Atomics.add(swaps, 0, 1);
}
