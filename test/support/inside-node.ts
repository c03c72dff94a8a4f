/**
 * Loaded into a node before itself, this brings about what happens to a process from within: a clock that steps, and
 * threads that die. It is told by messages, and answers each.
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
  process.on('message', (order: Order) => void obey(order).then((answer) => process.send?.(answer)));
  process.channel?.unref();
}

/** Resolves to how many threads were ended. */
async function obey(order: Order): Promise<number> {
  if ('clockMs' in order) {
    stepMs = order.clockMs;
    return 0;
  }
  const all = [...running];
  await Promise.all(all.map((thread) => thread.terminate()));
  return all.length;
}
