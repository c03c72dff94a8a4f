import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

export interface SwapperData {
  readonly path: string;
  readonly target: string;
  /** Two 32-bit integers: whether to stop, and the number of swaps. */
  readonly state: SharedArrayBuffer;
}

/** A thread that keeps swapping the folder `path` for a link to `target` and back. */
export class Swapper {
  readonly #state = new SharedArrayBuffer(8);
  readonly #worker: Worker;

  constructor(path: string, target: string) {
    const workerData: SwapperData = { path, target, state: this.#state };
    this.#worker = new Worker(fileURLToPath(new URL('swapper.js', import.meta.url)), { workerData });
  }

  get swaps(): number {
    return Atomics.load(new Int32Array(this.#state, 4, 1), 0);
  }

  /** Ends the thread with the folder in place. */
  async stop(): Promise<void> {
    const ended = once(this.#worker, 'exit');
    Atomics.store(new Int32Array(this.#state, 0, 1), 0, 1);
    await ended;
  }
}
