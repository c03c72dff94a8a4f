import { parentPort } from 'node:worker_threads';
import { errorMessage } from '../../errors.ts';
import type { WorkerReply } from './worker-pool.ts';

/** Serves the tasks of a `WorkerPool` in its thread: sends back what `answer` returns or throws. */
export function serveRequests<Q, A>(answer: (question: Q) => A | Promise<A>): void {
  const send = (reply: WorkerReply<A>) => parentPort?.postMessage(reply);
  parentPort?.on('message', async (question: Q) => {
    try {
      send({ ok: true, value: await answer(question) });
    } catch (error) {
      send({ ok: false, code: (error as { code?: string } | null)?.code, message: errorMessage(error) });
    }
  });
}
