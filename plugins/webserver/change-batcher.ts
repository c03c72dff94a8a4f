import { HttpError } from '../../kernel/errors.ts';
import type { VhostFolder } from './vhost-folder.ts';
import type { WebServer } from './server.ts';

export interface Change {
  readonly file: string;
  /** `undefined` removes the file. */
  readonly content: string | undefined;
}

interface Job extends Change {
  /** What the file held before, so that a change can be taken back. */
  before: string | undefined;
  readonly settle: (error?: HttpError) => void;
}

/** Most checks that are spent on finding which changes of a batch the server refuses. */
const CHECKS = 64;

/**
 * Changes that come while others are being made wait and are made together: one check and one reload for all. Where
 * the server refuses a batch, halves of it are tried, so that only those fail that must. What fails is taken back
 * before its caller is told, and the server keeps running as it was.
 */
export class Batches {
  readonly #folder: VhostFolder;
  readonly #server: WebServer;
  #queue: Job[] = [];
  readonly #busy = new Set<string>();
  #running: Promise<void> | undefined;
  #reloads = 0;

  constructor(folder: VhostFolder, server: WebServer) {
    this.#folder = folder;
    this.#server = server;
  }

  get reloads(): number {
    return this.#reloads;
  }

  /** Whether a change of the file waits or is being made. */
  isBusy(file: string): boolean {
    return this.#busy.has(file) || this.#queue.some((job) => job.file === file);
  }

  /** Resolves when the server serves the change. Errors: 502 `webserver_failed`. */
  change({ file, content }: Change): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({
        file,
        content,
        before: undefined,
        settle: (error) => (error === undefined ? resolve() : reject(error)),
      });
      this.#running ??= this.#drain();
    });
  }

  /** Resolves when nothing waits any more. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #drain(): Promise<void> {
    try {
      while (this.#queue.length > 0) {
        await new Promise((resolve) => setImmediate(resolve)); // those that come together are made together
        await this.#settle(this.#take());
      }
    } finally {
      this.#running = undefined;
    }
  }

  /** All that wait, but for second changes of one file. */
  #take(): Job[] {
    const first = new Map<string, Job>();
    const rest: Job[] = [];
    for (const job of this.#queue) {
      if (first.has(job.file)) rest.push(job);
      else first.set(job.file, job);
    }
    this.#queue = rest;
    return [...first.values()];
  }

  async #settle(jobs: readonly Job[]): Promise<void> {
    for (const { file } of jobs) this.#busy.add(file);
    const made = await this.#admit(jobs);
    const refusal = made.length === 0 ? undefined : await this.#reload(made);
    for (const { file } of jobs) this.#busy.delete(file);
    for (const job of made) job.settle(refusal);
  }

  /** Makes changes; returns those that the server takes. The others are taken back, and their callers told. */
  async #admit(jobs: readonly Job[]): Promise<readonly Job[]> {
    const refusal = await this.#try(jobs);
    if (refusal === undefined) return jobs;
    const isTheirs = jobs.length > 1 && (await this.#try([])) === undefined;
    return isTheirs ? this.#halve(jobs, { checks: CHECKS }) : refuse(jobs, refusal);
  }

  async #halve(jobs: readonly Job[], budget: { checks: number }): Promise<readonly Job[]> {
    const middle = jobs.length >> 1;
    const taken: Job[] = [];
    for (const half of [jobs.slice(0, middle), jobs.slice(middle)]) {
      const refusal = await this.#try(half);
      budget.checks -= 1;
      if (refusal === undefined) taken.push(...half);
      else
        taken.push(...(half.length > 1 && budget.checks > 0 ? await this.#halve(half, budget) : refuse(half, refusal)));
    }
    return taken;
  }

  /** Makes changes and has the server check them; those that it refuses are taken back. */
  async #try(jobs: readonly Job[]): Promise<HttpError | undefined> {
    const made: Job[] = [];
    try {
      for (const job of jobs) {
        job.before = await this.#folder.read(job.file);
        made.push(job);
        await this.#folder.put(job.file, job.content);
      }
      await this.#folder.sync();
      await this.#server.check();
      return undefined;
    } catch (error) {
      return this.#takeBack(made, error);
    }
  }

  async #reload(made: readonly Job[]): Promise<HttpError | undefined> {
    this.#reloads += 1;
    try {
      await this.#server.reload();
      return undefined;
    } catch (error) {
      const refusal = await this.#takeBack(made, error);
      await this.#server.reload().catch(() => undefined); // it may have taken the change only after the time for that was over
      return refusal;
    }
  }

  async #takeBack(made: readonly Job[], cause: unknown): Promise<HttpError> {
    const failed = (error: unknown) =>
      new HttpError('webserver_failed', 'the web server did not take the change, and serves what it served before', {
        cause: error,
      });
    try {
      for (const { file, before } of made) await this.#folder.put(file, before);
      await this.#folder.sync();
      return failed(cause);
    } catch (error) {
      return failed(new AggregateError([cause, error], 'a change of a virtual host could not be taken back'));
    }
  }
}

function refuse(jobs: readonly Job[], refusal: HttpError): readonly Job[] {
  for (const job of jobs) job.settle(refusal);
  return [];
}
