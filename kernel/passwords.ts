import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { HttpError, retryLater } from './errors.ts';

/** How many verifications may wait; beyond it logins are refused at once. At 50 ms each this is 13 s of one core. */
const WAITING = 256;
/** Threads end when nothing was asked for so long, because each takes memory. */
const IDLE_MS = 30_000;

export type PasswordJob = { readonly password: string; readonly hash?: string };
type Task = {
  readonly job: PasswordJob;
  readonly resolve: (value: string | boolean) => void;
  readonly reject: (error: Error) => void;
};

/**
 * Hashes passwords with argon2id (OWASP: 19 MiB, 2 passes, 1 lane) in threads of the lowest priority, one fewer
 * than there are cores, so that a storm of logins takes its time from itself and not from other requests.
 */
export class Passwords {
  readonly #threads: Thread[] = [];
  readonly #queue: Task[] = [];
  readonly #size = Math.max(1, availableParallelism() - 1);
  #dummy: Promise<string> | undefined;

  hash(password: string): Promise<string> {
    assertPassword(password);
    return this.#ask({ password }) as Promise<string>;
  }

  /** Without a hash a dummy is verified, so that an unknown user costs what a known one costs; the answer is then no. */
  async verify(password: string, hash: string | undefined): Promise<boolean> {
    this.#dummy ??= this.#ask({ password: randomBytes(16).toString('hex') }) as Promise<string>;
    const isRight = await this.#ask({ password, hash: hash ?? (await this.#dummy) });
    return isRight === true && hash !== undefined;
  }

  async close(): Promise<void> {
    for (const task of this.#queue.splice(0)) task.reject(retryLater('overloaded', 'the server is stopping', 5));
    await Promise.all(this.#threads.splice(0).map((thread) => thread.worker.terminate()));
  }

  #ask(job: PasswordJob): Promise<string | boolean> {
    if (this.#queue.length >= WAITING)
      return Promise.reject(retryLater('overloaded', 'too many logins are waiting', 5));
    return new Promise((resolve, reject) => {
      this.#queue.push({ job, resolve, reject });
      this.#dispatch();
    });
  }

  #dispatch(): void {
    if (this.#queue.length === 0) return;
    let thread = this.#threads.find((each) => each.task === undefined);
    if (thread === undefined && this.#threads.length < this.#size) thread = this.#start();
    const task = thread === undefined ? undefined : this.#queue.shift();
    if (thread === undefined || task === undefined) return;
    clearTimeout(thread.idle);
    thread.task = task;
    thread.worker.ref();
    thread.worker.postMessage(task.job);
  }

  #start(): Thread {
    const script = fileURLToPath(
      new URL(`password-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
    );
    const thread: Thread = { worker: new Worker(script), task: undefined, idle: undefined };
    thread.worker.on('message', (result: string | boolean) => {
      thread.task?.resolve(result);
      this.#rest(thread);
    });
    thread.worker.on('error', (error: Error) => thread.task?.reject(error));
    thread.worker.on('exit', () => {
      thread.task?.reject(new Error('a password thread ended'));
      if (this.#threads.includes(thread)) this.#threads.splice(this.#threads.indexOf(thread), 1);
      this.#dispatch();
    });
    this.#threads.push(thread);
    return thread;
  }

  #rest(thread: Thread): void {
    thread.task = undefined;
    thread.worker.unref();
    thread.idle = setTimeout(() => void thread.worker.terminate(), IDLE_MS).unref();
    this.#dispatch();
  }
}

interface Thread {
  readonly worker: Worker;
  task: Task | undefined;
  idle: NodeJS.Timeout | undefined;
}

/** 8 to 128 characters. Errors: 400 `invalid_request`. */
export function assertPassword(password: string): void {
  if (password.length < 8 || password.length > 128)
    throw new HttpError('invalid_request', 'a password has 8 to 128 characters');
}

/** 24 characters of a random password (144 bits). */
export function randomPassword(): string {
  return randomBytes(18).toString('base64url');
}
