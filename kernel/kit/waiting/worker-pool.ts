import { fileURLToPath } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { fail, HttpError, isErrorCode } from '../../errors.ts';
import { FairQueue, type QueueOptions, type TurnOptions } from './fair-queue.ts';

/** The reply of a pool's script; see `worker-script.ts`. */
export type WorkerReply<A> =
  | { readonly ok: true; readonly value: A }
  | { readonly ok: false; readonly code: string | undefined; readonly message: string };

export interface WorkerPoolOptions extends Omit<QueueOptions, 'slots'> {
  /** The caller's `import.meta.url`; the script is in the same folder. */
  readonly beside: string;
  /** The script's file name, without its extension. */
  readonly script: string;
  /** The maximum number of threads, each of which runs one task at a time; 1 unless given. */
  readonly size?: number;
  /** The time limit for a task. A thread that exceeds it is terminated; its task rejects with 503 `overloaded`. */
  readonly timeoutMs?: number;
  /** A thread that is idle for this long is terminated, to free its memory. */
  readonly idleMs?: number;
  readonly worker?: Pick<WorkerOptions, 'workerData' | 'resourceLimits' | 'name'>;
}
interface AskOptions extends TurnOptions {
  /** Whose task it is, where several clients compete. */
  readonly client?: string | number;
}

interface Task<A> {
  resolve(value: A): void;
  reject(error: Error): void;
}
interface Thread<A> {
  readonly worker: Worker;
  task: Task<A> | undefined;
  timer?: NodeJS.Timeout;
}

/**
 * Runs tasks that would block the event loop in worker threads, which it starts on demand and replaces when lost. Only
 * for the server's own code and data: what customers wrote belongs into a job (`kernel/kit/jobs`).
 */
export class WorkerPool<Q, A> {
  readonly #options: WorkerPoolOptions;
  readonly #queue: FairQueue;
  readonly #threads = new Set<Thread<A>>();
  #isClosed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#queue = new FairQueue({ ...options, slots: options.size ?? 1 });
  }

  get isStarted(): boolean {
    return this.#threads.size > 0;
  }

  /**
   * Resolves with the script's answer, or rejects with its error, rebuilt as an `HttpError` if it was one. Errors:
   * 503 `overloaded`.
   */
  ask(question: Q, { client = '', ...options }: AskOptions = {}): Promise<A> {
    return this.#queue.run(client, () => this.#run(question), options);
  }

  /** Terminates all threads and rejects unfinished tasks with 503 `overloaded`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#threads].map((thread) => this.#end(thread, 'the server is stopping')));
  }

  #run(question: Q): Promise<A> {
    if (this.#isClosed) throw fail.overloaded('the server is stopping', { retryAfterSeconds: 5 });
    const thread = [...this.#threads].find(({ task }) => task === undefined) ?? this.#start();
    const { timeoutMs } = this.#options;
    clearTimeout(thread.timer);
    return new Promise((resolve, reject) => {
      const task = { resolve, reject };
      thread.task = task;
      const stop = () => void (thread.task === task && this.#end(thread, 'it took too long'));
      // After a standstill of this process its timers come first, then an answer that is there.
      if (timeoutMs !== undefined) thread.timer = setTimeout(setImmediate, timeoutMs, stop);
      thread.worker.ref();
      thread.worker.postMessage(question);
    });
  }

  #start(): Thread<A> {
    const { beside, script, worker: options } = this.#options;
    const file = new URL(`${script}${beside.endsWith('.ts') ? '.ts' : '.js'}`, beside);
    const thread: Thread<A> = { worker: new Worker(fileURLToPath(file), options), task: undefined };
    thread.worker.on('message', (reply: WorkerReply<A>) => this.#settle(thread, reply));
    thread.worker.on('error', (error: Error) => this.#lose(thread, error));
    thread.worker.on('exit', () => this.#lose(thread, new Error(`the thread ${script} exited`)));
    this.#threads.add(thread);
    return thread;
  }

  #settle(thread: Thread<A>, reply: WorkerReply<A>): void {
    const { task } = thread;
    thread.task = undefined;
    clearTimeout(thread.timer);
    thread.worker.unref();
    const { idleMs } = this.#options;
    if (idleMs !== undefined) thread.timer = setTimeout(() => void this.#end(thread, 'idle'), idleMs).unref();
    if (reply.ok) task?.resolve(reply.value);
    else task?.reject(rebuilt(reply.code, reply.message));
  }

  async #end(thread: Thread<A>, why: string): Promise<void> {
    if (!this.#threads.has(thread)) return;
    this.#lose(thread, fail.overloaded(`the task was stopped: ${why}`, { retryAfterSeconds: 5 }));
    await thread.worker.terminate();
  }

  #lose(thread: Thread<A>, error: Error): void {
    if (!this.#threads.delete(thread)) return;
    clearTimeout(thread.timer);
    thread.task?.reject(error);
  }
}

function rebuilt(code: string | undefined, message: string): Error {
  if (code !== undefined && isErrorCode(code)) return new HttpError(code, message);
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}
