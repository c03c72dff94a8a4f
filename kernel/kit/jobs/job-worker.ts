import { withDeadline } from '../waiting/deadline.ts';
import { JobChannel } from './job-channel.ts';
import type { JobLimits, LaunchedJob } from './job-launch.ts';
import { JobLost, JobWatch } from './job-watch.ts';
import { JobAnswers } from './job-questions.ts';
import type { JobBegun, JobOwner, JobProgress, JobQuestion, JobReply, JobRequest, JobRunOptions } from './job.ts';

type Received = JobReply | JobBegun | JobProgress | JobQuestion;
interface Pending {
  readonly watch: JobWatch;
  readonly onProgress: ((progress: unknown) => void) | undefined;
  readonly answers: JobAnswers | undefined;
  resolve(reply: JobReply & { readonly bytes: Buffer }): void;
  reject(error: JobLost): void;
}

const MIB = 2 ** 20;
/** How long a process may take to end by itself. */
const END_MS = 5000;
/** How long a process that was killed may take to end; one that waits for a dead file system never does. */
const KILLED_MS = 1000;

/** A process that serves one owner, seen from its caller. */
export class JobWorker {
  readonly owner: JobOwner;
  /** Resolves once the process has ended, which a dead file system can delay for ever. */
  readonly exited: Promise<void>;
  /** The time of its last job, on the monotonic clock. */
  usedAt = performance.now();
  readonly #process: LaunchedJob;
  #channel: JobChannel | undefined;
  /** Resolves when there is a channel, or will be none. */
  readonly #ready: Promise<void>;
  /** By the id of the request. */
  readonly #pending = new Map<number, Pending>();
  #nextId = 0;
  #isEnded = false;

  constructor(owner: JobOwner, limits: JobLimits, launched: LaunchedJob) {
    this.owner = owner;
    this.#process = launched;
    this.exited = launched.ended.then(({ text, isKilled }) =>
      this.#lose(new JobLost(text, isKilled ? 'other' : 'breach')),
    );
    this.#ready = launched.connection.then(
      (connection) => {
        this.#channel = new JobChannel(connection, {
          maxBytes: limits.replyMib * MIB,
          onMessage: (reply, bytes) => this.#receive(reply as Received, bytes),
          onClose: (fault) => fault !== undefined && this.kill(new JobLost(fault.message, 'breach')),
        });
      },
      (error: Error) => this.kill(new JobLost(error.message, 'other')),
    );
  }

  get isBusy(): boolean {
    return this.#pending.size > 0;
  }

  /** Whether it can run no more jobs. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /**
   * Runs a job. Rejects with `JobLost`. An abort of `signal` and the end of `timeoutMs`, see `JobWatch`, kill the process,
   * and so all of its jobs.
   */
  async ask(
    request: Omit<JobRequest, 'id'>,
    timeoutMs: number,
    { bytes, signal, onProgress, onAsk }: Pick<JobRunOptions, 'bytes' | 'signal' | 'onProgress' | 'onAsk'>,
  ): Promise<JobReply & { readonly bytes: Buffer }> {
    const id = this.#nextId++;
    const watch = new JobWatch(this.#process, timeoutMs, (why) => this.kill(why));
    const giveUp = () => this.kill(new JobLost('nobody waits for it', 'other'));
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      if (this.#channel === undefined) await this.#ready;
      return await new Promise((resolve, reject) => {
        if (this.#isEnded) return reject(new JobLost('the process has ended', 'other'));
        const answers = onAsk && new JobAnswers(onAsk, (answered, given) => this.#channel?.send(answered, given));
        this.#pending.set(id, { watch, onProgress, answers, resolve, reject });
        this.#process.ref(true);
        this.#channel?.send({ ...request, id } satisfies JobRequest, bytes);
      });
    } finally {
      watch.end();
      signal?.removeEventListener('abort', giveUp);
      this.#pending.delete(id);
      this.usedAt = performance.now();
      if (!this.isBusy) this.#process.ref(false);
    }
  }

  /** Lets the process end by itself, and kills it if that takes too long; abandons one that cannot be killed. */
  async end(): Promise<void> {
    this.#isEnded = true;
    this.#process.ref(true);
    await this.#ready;
    this.#channel?.end();
    try {
      await withDeadline(this.exited, END_MS);
    } catch {
      // too late, or it failed: either way it has to go
      this.kill(new JobLost('it did not end', 'other'));
      // the kernel has not let it go yet, and no close waits for that
      await withDeadline(this.exited, KILLED_MS).catch(() => this.#process.ref(false));
    }
  }

  /** Kills the process and all that it started. */
  kill(why: JobLost): void {
    this.#lose(why);
    this.#process.kill();
  }

  #receive(message: Received, bytes: Buffer): void {
    const pending = this.#pending.get(message?.id);
    if ('ok' in message && typeof message.ok === 'boolean') pending?.resolve({ ...message, bytes });
    else if ('begunAt' in message && Number.isFinite(message.begunAt)) pending?.watch.begin(message.begunAt);
    else if ('progress' in message) pending?.onProgress?.(message.progress);
    else if ('asks' in message && Number.isSafeInteger(message.asks)) this.#answer(pending, message, bytes);
    else this.kill(new JobLost('its reply is none', 'breach'));
  }

  #answer(pending: Pending | undefined, question: JobQuestion, bytes: Buffer): void {
    if (pending?.answers?.take(question, bytes) !== true) this.kill(new JobLost('it asks too much', 'breach'));
  }

  #lose(why: JobLost): void {
    this.#isEnded = true;
    for (const { reject } of this.#pending.values()) reject(why);
    this.#pending.clear();
  }
}
