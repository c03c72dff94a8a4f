import { parentPort } from 'node:worker_threads';
import { messageOf } from '../errors.ts';
import type { WorkerReply, WorkerRequest } from './worker-pool.ts';

/** Serves the tasks of a `WorkerPool` in its thread: sends back what `answer` returns or throws. */
export function serveRequests<Q, A>(answer: (question: Q) => A | Promise<A>): void {
  parentPort?.on('message', ({ id, question }: WorkerRequest<Q>) => {
    const send = (reply: WorkerReply<A>) => parentPort?.postMessage(reply);
    const refuse = (error: unknown) =>
      send({ id, ok: false, code: (error as { code?: string } | null)?.code, message: messageOf(error) });
    try {
      const value = answer(question);
      if (value instanceof Promise) value.then((result: A) => send({ id, ok: true, value: result }), refuse);
      else send({ id, ok: true, value });
    } catch (error) {
      refuse(error);
    }
  });
}
