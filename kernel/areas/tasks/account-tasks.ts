import { randomUUID } from 'node:crypto';
import { fail, HttpError } from '../../errors.ts';
import type { Account } from '../../identity/accounts/account.ts';
import type { Host } from '../../contract/plugin.ts';
import { TaskStore, type AccountTask, type Counted, type Ended, type TaskTable } from './task-store.ts';

export type { AccountTask, Counted } from './task-store.ts';

const SAVED_MS = 1000;

interface TasksOptions extends TaskTable {
  /** How long a task may tell nothing before it is ended. */
  readonly stallMs: number;
}
/** The surroundings of the work of a task. */
export interface TaskRun {
  readonly id: string;
  /** Aborted when somebody ends the task, when it stands still, and when the plugin closes. */
  readonly signal: AbortSignal;
  /** Takes how far it is, `Counted`, which may come from a process in foreign hands. */
  readonly onProgress: (told: unknown) => void;
}

/** Long work of accounts, which goes on without its client, and what became of it. */
export class AccountTasks<K extends string> {
  readonly #log: Host['log'];
  readonly #options: TasksOptions;
  readonly #store: TaskStore<K>;
  readonly #running = new Map<string, { readonly abort: AbortController; readonly ended: Promise<void> }>();

  constructor({ log, local, node }: Pick<Host, 'log' | 'local' | 'node'>, options: TasksOptions) {
    this.#log = log;
    this.#options = options;
    this.#store = new TaskStore(local, options);
    const endInterrupted = () =>
      this.#store
        .endInterrupted()
        .catch((err: unknown) => log.error({ err }, 'tasks of an earlier server seem to run'));
    if (node.isServing) void node.onLeader(endInterrupted);
  }

  /** Begins a task. `work` removes what it has made before it fails. Errors: 503 `overloaded`. */
  async begin(
    account: Pick<Account, 'id'>,
    about: Pick<AccountTask<K>, 'kind' | 'path'>,
    work: (run: TaskRun) => Promise<Ended>,
  ): Promise<AccountTask<K>> {
    const id = randomUUID();
    await this.#store.add(account.id, { id, ...about });
    const abort = new AbortController();
    const ended = this.#run(id, work, abort).finally(() => this.#running.delete(id));
    this.#running.set(id, { abort, ended });
    return this.#store.get(account.id, id);
  }

  list({ id }: Pick<Account, 'id'>): Promise<AccountTask<K>[]> {
    return this.#store.list(id);
  }

  /** Errors: 404 `task_not_found`. */
  get(account: Pick<Account, 'id'>, id: string): Promise<AccountTask<K>> {
    return this.#store.get(account.id, id);
  }

  /** Ends a task. Another worker that runs it learns of that when it records its progress. Errors: 404 `task_not_found`. */
  async cancel(account: Pick<Account, 'id'>, id: string): Promise<AccountTask<K>> {
    await this.#store.get(account.id, id);
    await this.#store.end(id, { state: 'canceled' });
    this.#running.get(id)?.abort.abort(new Error('the task was canceled'));
    await this.#running.get(id)?.ended;
    return this.#store.get(account.id, id);
  }

  async close(): Promise<void> {
    const interrupted = this.#options.errors.task_interrupted('the server stopped meanwhile');
    for (const { abort } of this.#running.values()) abort.abort(interrupted);
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  async #run(id: string, work: (run: TaskRun) => Promise<Ended>, abort: AbortController): Promise<void> {
    const progress = new Progress(this.#store, id, this.#options.stallMs, abort);
    try {
      const { detail, ...counted } = await work({
        id,
        signal: abort.signal,
        onProgress: (told) => progress.take(told),
      });
      progress.take(counted, true);
      await progress.end();
      await this.#store.end(id, { state: 'done', detail });
    } catch (error) {
      await progress.end();
      const known = error instanceof HttpError ? error : undefined;
      if (known === undefined && !abort.signal.aborted) this.#log.error({ err: error, task: id }, 'a task failed');
      const ending = { error: known?.code ?? 'internal_error', detail: known?.message ?? 'the log says more' };
      await this.#store.end(id, { state: 'failed', ...ending });
    }
  }
}

/** Records how far a task is, and ends one that stands still or that somebody ended. */
class Progress {
  readonly #store: TaskStore<string>;
  readonly #id: string;
  readonly #stallMs: number;
  readonly #abort: AbortController;
  #timer: NodeJS.Timeout | undefined;
  #savedAt = 0;
  #saving: Promise<void> = Promise.resolve();

  constructor(store: TaskStore<string>, id: string, stallMs: number, abort: AbortController) {
    this.#store = store;
    this.#id = id;
    this.#stallMs = stallMs;
    this.#abort = abort;
  }

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
