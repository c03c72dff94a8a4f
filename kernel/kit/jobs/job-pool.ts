import { setTimeout as delay } from 'node:timers/promises';
import { atMost, LRUCache } from '../waiting/bounded-cache.ts';
import { withDeadline } from '../waiting/deadline.ts';
import { FairQueue } from '../waiting/fair-queue.ts';
import { fail, errorKind, HttpError, isErrorCode } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { JobLauncher, JobLimits } from './job-launch.ts';
import { JobLost } from './job-watch.ts';
import { JobWorker } from './job-worker.ts';
import { WithBytes, type Job, type JobOwner, type JobReply, type JobRunOptions } from './job.ts';

export interface JobPoolOptions {
  /** For the log. */
  readonly name: string;
  /** The maximum number of processes. */
  readonly processes: number;
  /** The maximum number of jobs that a process runs at once; 1 unless given. */
  readonly atOnce?: number;
  /** A process that is idle for this long ends. */
  readonly idleMs: number;
  /** The maximum number of waiting jobs of one owner; 128 unless given. */
  readonly waiting?: number;
  /** Whether processes keep something between jobs: if a job breaks a limit, its owner's are refused for a while. */
  readonly isResident?: boolean;
  readonly limits?: Partial<JobLimits>;
}
type Received = JobReply & { readonly bytes: Buffer };
/** The jobs of one owner that run at once. */
interface Turn {
  readonly jobs: Set<Promise<unknown>>;
  readonly started: Promise<void>;
  /** By the monotonic clock; Infinity before the start. */
  endsAt: number;
}

const LIMITS: JobLimits = { memoryMib: 256, openFiles: 512, fileMib: 64, replyMib: 16 };
/** Waiting jobs of one owner, and of all. */
const WAITING = 128;
const WAITING_OF_ALL = 2000;
/** How long an owner's jobs are refused after one hung, and a job's after it broke a limit. */
const AVOIDED_MS = 30_000;
const REFUSED_MS = 10_000;
/** How long the next job of an owner waits for the end of a process that was killed. */
const KILLED_MS = 1000;
const REMEMBERED = 10_000;
/**
 * How long a turn of several jobs is open for more while other owners wait, and how long it waits for the next: to end
 * a process for another owner and to start it again costs more than that.
 */
const TURN_MS = 1000;
const LINGER_MS = 150;

/**
 * A bounded number of job processes. Each serves one owner; owners take turns by what their jobs cost lately. What a job does
 * to its process harms its owner only: a process that breaks a limit is replaced, and one that hangs is abandoned.
 */
export class JobPool {
  readonly #options: JobPoolOptions;
  readonly #limits: JobLimits;
  readonly #launch: JobLauncher;
  readonly #log: Log;
  readonly #queue: FairQueue;
  readonly #workers = new Map<JobOwner['key'], JobWorker>();
  /** The latest turn of each owner, where several jobs run at once. */
  readonly #turns = new Map<JobOwner['key'], Turn>();
  /** The end of killed processes, by owner. */
  readonly #abandoned = new Map<JobOwner['key'], Promise<unknown>>();
  /** Owners whose files did not answer, and jobs that broke a limit with the input that they had. */
  readonly #avoided = new LRUCache<JobOwner['key'], true>({ ...atMost(REMEMBERED), ttl: AVOIDED_MS });
  readonly #refused = new LRUCache<string, HttpError>({ ...atMost(REMEMBERED), ttl: REFUSED_MS });
  /** Jobs that wait or run, by their question. */
  readonly #flights = new Map<string, Promise<Received>>();
  readonly #timer: NodeJS.Timeout;
  #isClosed = false;

  constructor(options: JobPoolOptions, launch: JobLauncher, log: Log) {
    this.#options = options;
    this.#launch = launch;
    this.#limits = { ...LIMITS, ...options.limits };
    this.#log = log;
    this.#queue = new FairQueue({
      slots: options.processes,
      perClient: 1,
      waiting: options.waiting ?? WAITING,
      waitingOfAll: WAITING_OF_ALL,
    });
    this.#timer = setInterval(() => this.#endIdle(), options.idleMs / 2).unref();
  }

  /** Whether an owner has a process. */
  has(key: JobOwner['key']): boolean {
    return this.#workers.has(key);
  }

  get processes(): number {
    return this.#workers.size;
  }

  get running(): number {
    return this.#queue.running;
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  /**
   * Runs a job in the owner's process. Errors: those that the job throws with a code of the catalogue; the job's
   * `tooMuch` if it breaks a limit, then for ten seconds at once; 503 `files_unavailable` for other errors and while
   * files do not answer; 503 `overloaded` if too many wait, or if the machine has too little time.
   */
  async run<I, O>(job: Job<I, O>, owner: JobOwner, input: I, options: JobRunOptions = {}): Promise<O> {
    this.#assertOpen();
    const question = JSON.stringify([owner.key, job.file, input]);
    const refusable = this.#options.isResident === true ? JSON.stringify([owner.key, job.file]) : question;
    const refusal = this.#refused.get(refusable);
    if (refusal !== undefined) throw refusal;
    const start = () => this.#inTurn(owner.key, () => this.#ask(job, owner, input, refusable, options), options);
    const reply = await (options.signal === undefined && options.bytes === undefined
      ? this.#share(question, start)
      : start());
    if (!reply.ok) throw this.#rebuilt(reply, owner);
    return (reply.hasBytes === true ? new WithBytes(reply.bytes, reply.output) : reply.output) as O;
  }

  /** Runs one job for all who ask the same at the same time. */
  #share(question: string, start: () => Promise<Received>): Promise<Received> {
    const flight = this.#flights.get(question) ?? start().finally(() => this.#flights.delete(question));
    this.#flights.set(question, flight);
    return flight;
  }

  /** Lets all processes end by themselves. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await Promise.all([...this.#workers.values()].map((worker) => this.#end(worker)));
  }

  /** Runs the work in a turn of its owner, together with the owner's other jobs where a process may run several. */
  #inTurn<T>(key: JobOwner['key'], work: () => Promise<T>, options: JobRunOptions): Promise<T> {
    const { atOnce = 1 } = this.#options;
    if (atOnce === 1) return this.#queue.run(key, work, options);
    let turn = this.#turns.get(key);
    const isOver = turn !== undefined && this.#queue.waiting > 0 && performance.now() > turn.endsAt;
    if (turn === undefined || turn.jobs.size >= atOnce || isOver) turn = this.#nextTurn(key);
    const { jobs, started } = turn;
    const result = started.then(work);
    jobs.add(result);
    const remove = () => void jobs.delete(result);
    result.then(remove, remove);
    return result;
  }

  /** Queues a turn of an owner. It lasts until all of its jobs have ended. */
  #nextTurn(key: JobOwner['key']): Turn {
    let [start, refuse]: [() => void, (error: unknown) => void] = [() => undefined, () => undefined];
    const started = new Promise<void>((resolve, reject) => ([start, refuse] = [resolve, reject]));
    const turn: Turn = { jobs: new Set(), started, endsAt: Infinity };
    this.#turns.set(key, turn);
    const run = async () => {
      turn.endsAt = performance.now() + TURN_MS;
      start();
      await started; // the first job is added by then
      while (turn.jobs.size > 0) {
        await Promise.allSettled(turn.jobs);
        if (turn.jobs.size === 0 && this.#queue.waiting > 0 && performance.now() < turn.endsAt) await delay(LINGER_MS);
      }
      end();
    };
    const end = () => this.#turns.get(key) === turn && this.#turns.delete(key);
    this.#queue.run(key, run).catch((error: unknown) => {
      end();
      refuse(error);
    });
    return turn;
  }

  async #ask<I>(job: Job<I, unknown>, owner: JobOwner, input: I, question: string, options: JobRunOptions) {
    await this.#assertAnswering(owner);
    const { isUrgent = false } = options;
    const request = { file: job.file, input, isUrgent, ...(owner.makesRoot === true && { needsRoot: true }) };
    let worker = this.#workerOf(owner);
    for (let isLast = false; ; isLast = true) {
      try {
        const reply = await worker.ask(request, job.timeoutMs, options);
        if (reply.ok || reply.isOutdated !== true || isLast) return reply;
        void this.#end(worker);
      } catch (error) {
        this.#abandon(worker);
        options.signal?.throwIfAborted();
        if (!(error instanceof JobLost)) throw error;
        // somebody else ended the process, perhaps before this job: jobs can be repeated
        if (error.reason !== 'other' || isLast || this.#isClosed) throw this.#breach(job, owner, question, error);
      }
      worker = this.#workerOf(owner);
    }
  }

  /** Rejects while the owner's files do not answer: what hangs in a file system would do so again. */
  async #assertAnswering({ key }: JobOwner): Promise<void> {
    const ends = this.#abandoned.get(key);
    const isHanging =
      ends !== undefined &&
      (await withDeadline(ends, KILLED_MS).then(
        () => false,
        () => true,
      ));
    if (isHanging || this.#avoided.has(key))
      throw fail.files_unavailable('the files did not answer lately', { retryAfterSeconds: AVOIDED_MS / 1000 });
  }

  #assertOpen(): void {
    if (this.#isClosed) throw fail.overloaded('the server is stopping', { retryAfterSeconds: 5 });
  }

  #workerOf(owner: JobOwner): JobWorker {
    this.#assertOpen(); // the job may have waited for its turn
    const known = this.#workers.get(owner.key);
    if (known !== undefined && !known.isEnded && known.owner.root?.path === owner.root?.path) return known;
    if (known !== undefined) void this.#end(known);
    if (this.#workers.size >= this.#options.processes) this.#endLongestIdle();
    const worker = new JobWorker(owner, this.#limits, this.#launch(owner, this.#limits));
    this.#workers.set(owner.key, worker);
    return worker;
  }

  #breach(job: Job<never, unknown>, owner: JobOwner, question: string, error: JobLost): HttpError {
    this.#log.warn({ pool: this.#options.name, owner: owner.key, job: job.file, err: error }, 'a job was stopped');
    if (error.reason === 'other')
      return fail.overloaded('the process of this was ended', { retryAfterSeconds: 1, cause: error });
    if (error.reason === 'busy')
      return fail.overloaded('the server is busy, and had too little time for this', {
        retryAfterSeconds: REFUSED_MS / 1000,
        cause: error,
      });
    if (error.reason === 'hang') {
      this.#avoided.set(owner.key, true);
      return fail.files_unavailable('the files do not answer', { retryAfterSeconds: AVOIDED_MS / 1000, cause: error });
    }
    const detail = 'this takes more memory or time than it may';
    const mayPass = errorKind(job.tooMuch)[0] === 503;
    const refusal = new HttpError(job.tooMuch, detail, {
      cause: error,
      ...(mayPass && { retryAfterSeconds: REFUSED_MS / 1000 }),
    });
    this.#refused.set(question, refusal);
    return refusal;
  }

  #rebuilt({ code, message, retryAfter }: JobReply & { ok: false }, owner: JobOwner): HttpError {
    const cause = Object.assign(new Error(message), code === undefined ? {} : { code });
    if (code !== undefined && isErrorCode(code))
      return new HttpError(code, message, {
        cause,
        ...(retryAfter !== undefined && { headers: { 'Retry-After': retryAfter } }),
      });
    this.#log.error({ pool: this.#options.name, owner: owner.key, err: cause }, 'a job failed');
    return fail.files_unavailable('the files cannot be read at the moment', { retryAfterSeconds: 30, cause });
  }

  #endIdle(): void {
    for (const worker of this.#workers.values())
      if (!worker.isBusy && performance.now() - worker.usedAt > this.#options.idleMs) void this.#end(worker);
  }

  #endLongestIdle(): void {
    let longest: JobWorker | undefined;
    for (const worker of this.#workers.values())
      if (!worker.isBusy && (longest === undefined || worker.usedAt < longest.usedAt)) longest = worker;
    if (longest !== undefined) void this.#end(longest);
  }

  #end(worker: JobWorker): Promise<void> {
    this.#forget(worker);
    return worker.end();
  }

  #abandon(worker: JobWorker): void {
    this.#forget(worker);
    const { key } = worker.owner;
    const ends = Promise.all([this.#abandoned.get(key), worker.exited]).then(() => {
      if (this.#abandoned.get(key) === ends) this.#abandoned.delete(key);
    });
    this.#abandoned.set(key, ends);
  }

  #forget(worker: JobWorker): void {
    if (this.#workers.get(worker.owner.key) === worker) this.#workers.delete(worker.owner.key);
  }
}
