import { withDeadline } from '../waiting/deadline.ts';
import { JobChannel } from './job-channel.ts';
import type { JobLimits, LaunchedJob } from './job-launch.ts';
import type { JobOwner, JobReply, JobRequest } from './job.ts';

/** Why a job has no reply: its process ended, by itself or because a limit was reached. */
export class JobLost extends Error {
  /**
   * `breach`: it took more than it may; `hang`: it waited for something outside, such as a dead file system; `other`:
   * somebody else killed its process, or nobody waits for it any more.
   */
  readonly reason: 'breach' | 'hang' | 'other';

  constructor(message: string, reason: JobLost['reason']) {
    super(message);
    this.reason = reason;
  }
}

interface Pending {
  resolve(reply: JobReply & { readonly bytes: Buffer }): void;
  reject(error: JobLost): void;
}

const MIB = 2 ** 20;
/** How long a process may take to end by itself. */
const END_MS = 5000;
/** How long a process that was killed may take to end; one that waits for a dead file system never does. */
const KILLED_MS = 1000;
/** A job that used less than this share of the second half of its time, and does not run at its end, was waiting. */
const BUSY_SHARE = 0.5;

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
          onMessage: (reply, bytes) => this.#settle(reply as JobReply, bytes),
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
   * Runs a job. Rejects with `JobLost`. An abort of `signal` and the end of `timeoutMs` kill the process, and so all of
   * its jobs.
   */
  async ask(
    request: Omit<JobRequest, 'id'>,
    bytes: Uint8Array | undefined,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<JobReply & { readonly bytes: Buffer }> {
    const id = this.#nextId++;
    let before: number | undefined;
    // not at the start, because looking costs more than a small job
    const look = async () => void (before = (await this.#process.processorTime()).seconds);
    const expire = async () => {
      const { isRunning, seconds } = await this.#process.processorTime();
      const share = ((seconds - (before ?? seconds)) * 1000) / (timeoutMs / 2);
      const reason = !isRunning && share < BUSY_SHARE ? 'hang' : 'breach';
      this.kill(new JobLost(`it took longer than ${timeoutMs} ms`, reason));
    };
    const giveUp = () => this.kill(new JobLost('nobody waits for it', 'other'));
    const timers = [setTimeout(() => void look(), timeoutMs / 2), setTimeout(() => void expire(), timeoutMs)];
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      if (this.#channel === undefined) await this.#ready;
      return await new Promise((resolve, reject) => {
        if (this.#isEnded) return reject(new JobLost('the process has ended', 'other'));
        this.#pending.set(id, { resolve, reject });
        this.#process.ref(true);
        this.#channel?.send({ ...request, id } satisfies JobRequest, bytes);
      });
    } finally {
      for (const timer of timers) clearTimeout(timer);
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
      this.kill(new JobLost('it did not end', 'other'));
      await withDeadline(this.exited, KILLED_MS).catch(() => this.#process.ref(false));
    }
  }

  /** Kills the process and all that it started. */
  kill(why: JobLost): void {
    this.#lose(why);
    this.#process.kill();
  }

  #settle(reply: JobReply, bytes: Buffer): void {
    if (typeof reply?.ok !== 'boolean') return this.kill(new JobLost('its reply is none', 'breach'));
    this.#pending.get(reply.id)?.resolve({ ...reply, bytes });
  }

  #lose(why: JobLost): void {
    this.#isEnded = true;
    for (const { reject } of this.#pending.values()) reject(why);
    this.#pending.clear();
  }
}
