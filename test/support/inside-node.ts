/**
 * Preloaded into a node to cause faults inside its process: clock steps and terminated threads. Each is ordered by a
 * message, which gets a reply.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { Worker } from 'node:worker_threads';

type Order = { readonly clockMs: number } | { readonly endThreads: true };

const threads = createRequire(import.meta.url)('node:worker_threads') as {
  Worker: typeof Worker;
  isMainThread: boolean;
};
const running = new Set<Worker>();
const RealDate = Date;
let stepMs = 0;

class SteppedDate extends RealDate {
  constructor(...args: [] | [string | number | Date]) {
    super(...((args.length === 0 ? [RealDate.now() + stepMs] : args) as [number]));
  }

  static override now(): number {
    return RealDate.now() + stepMs;
  }
}

if (threads.isMainThread) {
  globalThis.Date = SteppedDate as DateConstructor;
  const { Worker: RealWorker } = threads;
  threads.Worker = class extends RealWorker {
    constructor(...args: ConstructorParameters<typeof Worker>) {
      super(...args);
      running.add(this);
      this.once('exit', () => running.delete(this));
    }
  };
  syncBuiltinESMExports();
  process.on('message', (order: Order) => void carryOut(order).then((answer) => process.send?.(answer)));
  process.channel?.unref();
}

/** Carries out an order; resolves with the number of terminated threads. */
async function carryOut(order: Order): Promise<number> {
  if ('clockMs' in order) {
    stepMs = order.clockMs;
    return 0;
  }
  const all = [...running];
  await Promise.all(all.map((thread) => thread.terminate()));
  return all.length;
}
