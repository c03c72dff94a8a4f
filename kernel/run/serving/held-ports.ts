import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

/** States of the thread, in the only element of `state`. */
export const [RELEASED, HELD, ENDED] = [0, 1, 2];

export interface HeldPortsData {
  /** Each as host and port. */
  readonly addresses: readonly { readonly host: string; readonly port: number }[];
  readonly state: Int32Array;
}

/**
 * Keeps clients waiting while no worker serves, instead of having their connections refused. A thread listens and accepts
 * nothing; once the queue of the port is full, the system drops what arrives, so that clients try again by themselves and
 * reach the worker that listens by then.
 */
export class HeldPorts {
  readonly #state = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #ended: Promise<unknown>;

  /** Starts the thread ahead of need. `onHeld` is called each time when it holds the ports, `onFailure` if it cannot. */
  constructor(addresses: HeldPortsData['addresses'], onHeld: () => void, onFailure: (error: unknown) => void) {
    const script = `held-ports-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`;
    const workerData: HeldPortsData = { addresses, state: this.#state };
    const thread = new Worker(fileURLToPath(new URL(script, import.meta.url)), { workerData });
    thread.on('message', onHeld).on('error', onFailure);
    this.#ended = new Promise((resolve) => thread.once('exit', resolve));
  }

  hold(): void {
    this.#become(HELD);
  }

  release(): void {
    this.#become(RELEASED);
  }

  /** Lets the thread end by itself: one that is terminated while it listens would abort the process. */
  async close(): Promise<void> {
    this.#become(ENDED);
    await this.#ended;
  }

  #become(state: number): void {
    Atomics.store(this.#state, 0, state);
    Atomics.notify(this.#state, 0);
  }
}
