import { fileURLToPath } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { HttpError, isErrorCode, retryLater } from '../errors.ts';

/** The message of a pool to its script; see `worker-script.ts`. */
export interface WorkerRequest<Q> {
  readonly id: number;
  readonly question: Q;
}
export type WorkerReply<A> = { readonly id: number } & (
  | { readonly ok: true; readonly value: A }
  | { readonly ok: false; readonly code: string | undefined; readonly message: string }
);

export interface WorkerPoolOptions {
  /** The caller's `import.meta.url`; the script is in the same folder. */
  readonly beside: string;
  /** The script's file name, without its extension. */
  readonly script: string;
  /** The maximum number of threads; 1 unless given. */
  readonly size?: number;
  /** The maximum number of tasks that one thread runs at once. */
  readonly atOnce: number;
  /** The maximum number of queued tasks; beyond it, `ask` rejects with 503 `overloaded`. */
  readonly waiting: number;
  /** The time limit for a task. A thread that exceeds it is terminated; all its tasks reject with 503 `overloaded`. */
  readonly timeoutMs?: number;
  /** A thread that is idle for this long is terminated, to free its memory. */
  readonly idleMs?: number;
  readonly worker?: Pick<WorkerOptions, 'workerData' | 'resourceLimits' | 'name'>;
}

interface Task<Q, A> {
  readonly question: Q;
  readonly resolve: (value: A) => void;
  readonly reject: (error: Error) => void;
  limit?: NodeJS.Timeout;
}

interface Thread<Q, A> {
  readonly worker: Worker;
  readonly running: Map<number, Task<Q, A>>;
  idle?: NodeJS.Timeout;
}

/** Runs tasks that would block the event loop in worker threads, which it starts on demand and replaces when lost. */
export class WorkerPool<Q, A> {
  readonly #options: WorkerPoolOptions;
  readonly #size: number;
  readonly #queue: Task<Q, A>[] = [];
  readonly #threads = new Set<Thread<Q, A>>();
  #nextId = 0;
  #isClosed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#size = options.size ?? 1;
  }

  get isStarted(): boolean {
    return this.#threads.size > 0;
  }

  /**
   * Resolves with the script's answer, or rejects with its error, rebuilt as an `HttpError` if it was one. Errors:
   * 503 `overloaded`.
   */
  ask(question: Q): Promise<A> {
    if (this.#isClosed || this.#queue.length >= this.#options.waiting)
      return Promise.reject(retryLater('overloaded', 'too many tasks of this kind are waiting', 5));
    return new Promise((resolve, reject) => {
      this.#queue.push({ question, resolve, reject });
      this.#dispatch();
    });
  }

  /** Terminates all threads and rejects unfinished tasks with 503 `overloaded`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#threads].map((thread) => this.#end(thread, 'the server is stopping')));
    for (const task of this.#queue.splice(0)) task.reject(retryLater('overloaded', 'the server is stopping', 5));
  }

  #dispatch(): void {
    for (let thread = this.#free(); thread !== undefined; thread = this.#free()) {
      const task = this.#queue.shift();
      if (task === undefined) return;
      this.#give(thread, task);
    }
  }

  /**
   * Returns a thread for the next task: an idle one, a new one, or the least busy one with room. `undefined` if no task
   * is queued or all threads are full.
   */
  #free(): Thread<Q, A> | undefined {
    if (this.#queue.length === 0) return undefined;
    let least: Thread<Q, A> | undefined;
    for (const each of this.#threads) if (least === undefined || each.running.size < least.running.size) least = each;
    if (least?.running.size === 0) return least;
    if (this.#threads.size < this.#size) return this.#start();
    return least !== undefined && least.running.size < this.#options.atOnce ? least : undefined;
  }

  #give(thread: Thread<Q, A>, task: Task<Q, A>): void {
    const { timeoutMs } = this.#options;
    const id = this.#nextId++;
    clearTimeout(thread.idle);
    thread.running.set(id, task);
    if (timeoutMs !== undefined) task.limit = setTimeout(() => void this.#end(thread, 'it took too long'), timeoutMs);
    thread.worker.ref();
    thread.worker.postMessage({ id, question: task.question } satisfies WorkerRequest<Q>);
  }

  #start(): Thread<Q, A> {
    const { beside, script, worker: options } = this.#options;
    const file = new URL(`${script}${beside.endsWith('.ts') ? '.ts' : '.js'}`, beside);
    const thread: Thread<Q, A> = { worker: new Worker(fileURLToPath(file), options), running: new Map() };
    thread.worker.on('message', (reply: WorkerReply<A>) => this.#settle(thread, reply));
    thread.worker.on('error', (error: Error) => this.#lose(thread, error));
    thread.worker.on('exit', () => this.#lose(thread, new Error(`the thread ${script} exited`)));
    this.#threads.add(thread);
    return thread;
  }

  #settle(thread: Thread<Q, A>, reply: WorkerReply<A>): void {
    const task = thread.running.get(reply.id);
    thread.running.delete(reply.id);
    clearTimeout(task?.limit);
    if (reply.ok) task?.resolve(reply.value);
    else task?.reject(rebuilt(reply.code, reply.message));
    this.#dispatch();
    if (thread.running.size > 0) return;
    thread.worker.unref();
    const { idleMs } = this.#options;
    if (idleMs !== undefined) thread.idle = setTimeout(() => void this.#end(thread, 'idle'), idleMs).unref();
  }

  async #end(thread: Thread<Q, A>, why: string): Promise<void> {
    if (!this.#threads.has(thread)) return;
    this.#lose(thread, retryLater('overloaded', `the task was stopped: ${why}`, 5));
    await thread.worker.terminate();
  }

  #lose(thread: Thread<Q, A>, error: Error): void {
    if (!this.#threads.delete(thread)) return;
    clearTimeout(thread.idle);
    for (const task of thread.running.values()) {
      clearTimeout(task.limit);
      task.reject(error);
    }
    thread.running.clear();
    if (!this.#isClosed) this.#dispatch();
  }
}

function rebuilt(code: string | undefined, message: string): Error {
  if (code !== undefined && isErrorCode(code)) return new HttpError(code, message);
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}
