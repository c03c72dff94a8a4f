import { randomUUID } from 'node:crypto';
import type { Host } from '../../../kernel/contract/plugin.ts';
import { HttpError } from '../../../kernel/errors.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { JobPool } from '../../../kernel/kit/jobs/job-pool.ts';
import type { Job } from '../../../kernel/kit/jobs/job.ts';
import { fail } from '../errors.ts';
import { WORK } from '../jobs.ts';
import type { TallyLimits } from '../jobs/tally.ts';
import type { FilesConfig } from '../schema.ts';
import type { FileTask } from './schema.ts';
import { TaskStore } from './task-store.ts';

const IDLE_MS = 5000;
const SAVED_MS = 1000;
/** The largest file that a task may write. */
const FILE_MIB = 16_384;

/** The input of each task's job: the name of its work, and its bounds. */
export interface TaskInput {
  readonly work: string;
  readonly limits: TallyLimits;
}
export interface Counted {
  readonly files: number;
  readonly bytes: number;
  readonly leftOut: number;
}
interface Begun {
  readonly kind: FileTask['kind'];
  /** Where its result is to be, as clients see it. */
  readonly path: string;
  readonly limits: TallyLimits;
}

/** Runs long work on files, one task of an account at a time, and remembers what became of it. */
export class Tasks {
  readonly #host: Pick<Host, 'jobs' | 'log'>;
  readonly #stallMs: number;
  readonly #store: TaskStore;
  readonly #pool: JobPool;
  readonly #running = new Map<string, { readonly abort: AbortController; readonly ended: Promise<void> }>();

  constructor(host: Pick<Host, 'jobs' | 'log' | 'local'>, { tasks, task_stall_seconds: stall }: FilesConfig) {
    this.#host = host;
    this.#stallMs = stall * 1000;
    this.#store = new TaskStore(host.local);
    this.#pool = host.jobs.open({
      ...{ name: 'file tasks', processes: tasks, idleMs: IDLE_MS },
      limits: { fileMib: FILE_MIB },
    });
  }

  /** Begins a task, which goes on without its client. Errors: 503 `overloaded`. */
  async begin<I>(account: Account, { kind, path, limits }: Begun, job: Job<I & TaskInput, Counted>, input: I) {
    const id = randomUUID();
    await this.#store.add(account.id, id, kind, path);
    const abort = new AbortController();
    const ended = this.#run(account, id, job, { ...input, work: id, limits }, abort).finally(() =>
      this.#running.delete(id),
    );
    this.#running.set(id, { abort, ended });
    return this.#store.get(account.id, id);
  }

  async list({ id }: Account): Promise<FileTask[]> {
    return this.#store.list(id);
  }

  /** Errors: 404 `task_not_found`. */
  get(account: Account, id: string): Promise<FileTask> {
    return this.#store.get(account.id, id);
  }

  /** Ends a task. Another worker that runs it learns of that when it records its progress. Errors: 404 `task_not_found`. */
  async cancel(account: Account, id: string): Promise<FileTask> {
    await this.#store.get(account.id, id);
    await this.#store.end(id, { state: 'canceled' });
    this.#running.get(id)?.abort.abort(new Error('the task was canceled'));
    await this.#running.get(id)?.ended;
    return this.#store.get(account.id, id);
  }

  async close(): Promise<void> {
    const interrupted = fail.task_interrupted('the server stopped meanwhile');
    for (const { abort } of this.#running.values()) abort.abort(interrupted);
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
    await this.#pool.close();
  }

  async #run<I>(account: Account, id: string, job: Job<I, Counted>, input: I, abort: AbortController): Promise<void> {
    const { jobs, log } = this.#host;
    const progress = new Progress(this.#store, id, this.#stallMs, abort);
    try {
      const owner = jobs.ownerOf(account);
      const onProgress = (told: unknown) => progress.take(told);
      const counted = await this.#pool.run(job, owner, input, { signal: abort.signal, onProgress });
      progress.take(counted, true);
      await progress.end();
      await this.#store.end(id, { state: 'done' });
    } catch (error) {
      await progress.end();
      const known = error instanceof HttpError ? error : undefined;
      if (known === undefined && !abort.signal.aborted) log.error({ err: error, task: id }, 'a task on files failed');
      const ending = { error: known?.code ?? 'internal_error', detail: known?.message ?? 'the log says more' };
      await jobs.run(WORK, account, { discard: id }).catch((err: unknown) => {
        log.warn({ err, task: id }, 'unfinished work on files stays until the next day');
      });
      await this.#store.end(id, { state: 'failed', ...ending });
    }
  }
}

/** Records how far a task is, and ends one that stands still or that somebody ended. */
class Progress {
  readonly #store: TaskStore;
  readonly #id: string;
  readonly #stallMs: number;
  readonly #abort: AbortController;
  #timer: NodeJS.Timeout | undefined;
  #savedAt = 0;
  #saving: Promise<void> = Promise.resolve();

  constructor(store: TaskStore, id: string, stallMs: number, abort: AbortController) {
    this.#store = store;
    this.#id = id;
    this.#stallMs = stallMs;
    this.#abort = abort;
  }

  /** Takes what comes from a process that may be in foreign hands. */
  take(told: unknown, isLast = false): void {
    const { files, bytes, leftOut } = (told ?? {}) as Partial<Counted>;
    if (!isCount(files) || !isCount(bytes) || !isCount(leftOut)) return;
    this.#timer ??= setTimeout(() => {
      this.#abort.abort(fail.files_unavailable('the files did not answer'));
    }, this.#stallMs);
    this.#timer.refresh();
    if (!isLast && performance.now() - this.#savedAt < SAVED_MS) return;
    this.#savedAt = performance.now();
    const save = async () => {
      const isOpen = await this.#store.progress(this.#id, { files, bytes, leftOut });
      if (!isOpen) this.#abort.abort(new Error('the task was canceled'));
    };
    this.#saving = this.#saving.then(save).catch((error: unknown) => this.#abort.abort(error));
  }

  async end(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#saving;
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
