/** For what plugins share between the processes of a node; see `Host.workers`. */
export { SharedCounter } from '../workers/shared-counter.ts';
export { topic, WORKER_EXITED, type Topic } from '../workers/topic.ts';
