import { fileURLToPath } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { CATALOGUE, HttpError, retryLater, type ErrorCode } from './errors.ts';

/** What passes between a `Thread` and the `serve` of its script. */
export interface Asked<Q> {
  readonly id: number;
  readonly question: Q;
}
export type Answered<A> = { readonly id: number } & (
  | { readonly ok: true; readonly value: A }
  | { readonly ok: false; readonly code: string | undefined; readonly message: string }
);

export interface ThreadOptions {
  /** `import.meta.url` of the caller; the script lies beside it. */
  readonly beside: string;
  /** Name of the script, without extension. */
  readonly script: string;
  /** How many questions the thread has at a time; the others wait. */
  readonly atOnce: number;
  /** How many may wait; beyond it `ask` rejects with 503 `overloaded`. */
  readonly waiting: number;
  /** A thread that takes longer over a question is ended, and everything that it had is refused with 503 `overloaded`. */
  readonly timeoutMs?: number;
  /** Ends when nothing was asked for so long, because a thread takes memory. */
  readonly idleMs?: number;
  readonly worker?: Pick<WorkerOptions, 'workerData' | 'resourceLimits' | 'name'>;
}

interface Task<Q, A> {
  readonly question: Q;
  readonly resolve: (value: A) => void;
  readonly reject: (error: Error) => void;
  limit?: NodeJS.Timeout;
}

/** A thread that answers questions, for what would block the event loop. It starts with the first one, and again after it ended. */
export class Thread<Q, A> {
  readonly #options: ThreadOptions;
  readonly #queue: Task<Q, A>[] = [];
  readonly #running = new Map<number, Task<Q, A>>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #nextId = 0;
  #isClosed = false;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** Whether there is a thread now. */
  get isStarted(): boolean {
    return this.#worker !== undefined;
  }

  /** Rejects with what the script threw: an `HttpError` where it was one. */
  ask(question: Q): Promise<A> {
    if (this.#isClosed || this.#queue.length >= this.#options.waiting)
      return Promise.reject(retryLater('overloaded', 'too many such requests are waiting', 5));
    return new Promise((resolve, reject) => {
      this.#queue.push({ question, resolve, reject });
      this.#dispatch();
    });
  }

  /** Refuses what was not answered yet. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end('the server is stopping');
    for (const task of this.#queue.splice(0)) task.reject(retryLater('overloaded', 'the server is stopping', 5));
  }

  #dispatch(): void {
    while (this.#queue.length > 0 && this.#running.size < this.#options.atOnce) {
      const task = this.#queue.shift();
      if (task === undefined) return;
      clearTimeout(this.#idle);
      const id = this.#nextId++;
      this.#running.set(id, task);
      if (this.#options.timeoutMs !== undefined)
        task.limit = setTimeout(() => void this.#end('it took too long'), this.#options.timeoutMs);
      this.#worker ??= this.#start();
      this.#worker.ref();
      this.#worker.postMessage({ id, question: task.question } satisfies Asked<Q>);
    }
  }

  #start(): Worker {
    const { beside, script, worker: options } = this.#options;
    const worker = new Worker(
      fileURLToPath(new URL(`${script}${beside.endsWith('.ts') ? '.ts' : '.js'}`, beside)),
      options,
    );
    worker.on('message', (answer: Answered<A>) => this.#settle(answer));
    worker.on('error', (error: Error) => this.#lose(worker, error));
    worker.on('exit', () => this.#lose(worker, new Error(`the thread ${script} ended`)));
    return worker;
  }

  #settle(answer: Answered<A>): void {
    const task = this.#running.get(answer.id);
    this.#running.delete(answer.id);
    clearTimeout(task?.limit);
    if (answer.ok) task?.resolve(answer.value);
    else task?.reject(rebuilt(answer.code, answer.message));
    this.#dispatch();
    if (this.#running.size > 0) return;
    this.#worker?.unref();
    if (this.#options.idleMs !== undefined)
      this.#idle = setTimeout(() => void this.#end('idle'), this.#options.idleMs).unref();
  }

  async #end(why: string): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#lose(worker, retryLater('overloaded', `this could not be done now: ${why}`, 5));
    await worker.terminate();
  }

  #lose(worker: Worker, error: Error): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    for (const task of this.#running.values()) {
      clearTimeout(task.limit);
      task.reject(error);
    }
    this.#running.clear();
    if (!this.#isClosed) this.#dispatch();
  }
}

function rebuilt(code: string | undefined, message: string): Error {
  return code !== undefined && Object.hasOwn(CATALOGUE, code)
    ? new HttpError(code as ErrorCode, message)
    : Object.assign(new Error(message), code === undefined ? {} : { code });
}
