import { WORKER_EXITED } from '../workers/topic.ts';
import type { Host } from './plugin.ts';

/** For what plugins share between the processes of a node; see `Host.workers`. */
export { SharedCounter } from '../workers/shared-counter.ts';
export { topic, WORKER_EXITED, type Topic } from '../workers/topic.ts';
export { inTurn } from '../workers/turns.ts';

export const SUSPENSIONS: ReadonlySet<string> = new Set(['account.suspended', 'account.unsuspended']);

/** Returns wakers (`startReconciling`) of what follows events, and makes what a process of the node left half done. */
export const eventWakers = ({ events, workers }: Pick<Host, 'events' | 'workers'>, types: ReadonlySet<string>) => [
  (wake: () => void) => workers.subscribe(WORKER_EXITED, wake),
  (wake: () => void) =>
    events.listen(({ type }) => {
      if (types.has(type)) wake();
    }),
];
