import type { LaunchedJob } from './job-launch.ts';

/** How long the start of a process may stand still, and how long it may take on a busy machine. */
const START_MS = 10_000;
const LONGEST_START_MS = 30_000;
/** A job that lacks processor time, because others need the processors, has this many times its time limit. */
const PATIENCE = 3;
/** A process that uses a smaller share of a processor, and does not wait for one, waits for something outside. */
const WAITING_SHARE = 0.02;
const LEAST_MS = 50;

/** Why a job has no reply: its process ended, by itself or because a limit was reached. */
export class JobLost extends Error {
  /**
   * `breach`: it took more than it may; `hang`: it waited for something outside, such as a dead file system; `busy`: the
   * machine had too little time for it; `other`: somebody else killed its process, or nobody waits for it any more.
   */
  readonly reason: 'breach' | 'hang' | 'busy' | 'other';

  constructor(message: string, reason: JobLost['reason']) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Watches the time of one job. The limit is processor time and begins with the job, not with the start of its process: on
 * a busy machine neither is the job's fault. A job that waits for something outside has the same limit by the clock.
 */
export class JobWatch {
  readonly #process: LaunchedJob;
  readonly #limitMs: number;
  readonly #onOver: (why: JobLost) => void;
  #timer: NodeJS.Timeout;
  #since = performance.now();
  /** Processor seconds of the process when the job began; `undefined` before. */
  #atBegin: number | undefined;
  #lastAt = this.#since;
  #lastSeconds = 0;
  #isOver = false;

  /** Calls `onOver` once if the job takes longer than it may. */
  constructor(process: LaunchedJob, limitMs: number, onOver: (why: JobLost) => void) {
    this.#process = process;
    this.#limitMs = limitMs;
    this.#onOver = onOver;
    this.#timer = this.#lookAfter(START_MS / 2);
  }

  /** The job begins: the process has taken `seconds` of processor time so far. */
  begin(seconds: number): void {
    clearTimeout(this.#timer);
    this.#since = this.#lastAt = performance.now();
    this.#atBegin = this.#lastSeconds = seconds;
    this.#timer = this.#lookAfter(this.#limitMs / 2);
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #lookAfter(ms: number): NodeJS.Timeout {
    const inMs = Math.max(LEAST_MS, ms);
    const dueAt = performance.now() + inMs;
    return setTimeout(() => void this.#look(dueAt), inMs);
  }

  async #look(dueAt: number): Promise<void> {
    // while this process itself was busy, it read nothing that the job sent
    this.#since += performance.now() - dueAt;
    const since = this.#since;
    const { isRunning, seconds } = await this.#process.processorTime();
    if (this.#isOver || this.#since !== since) return; // it ended or began meanwhile
    const now = performance.now();
    const isWaiting = !isRunning && (seconds - this.#lastSeconds) * 1000 < WAITING_SHARE * (now - this.#lastAt);
    [this.#lastAt, this.#lastSeconds] = [now, seconds];
    const why = this.#verdict(now - since, (seconds - (this.#atBegin ?? seconds)) * 1000, isWaiting);
    if (why !== undefined) return this.#onOver(why);
    this.#timer = this.#lookAfter(this.#atBegin === undefined ? START_MS / 2 : this.#nextMs(seconds - this.#atBegin));
  }

  #verdict(tookMs: number, usedMs: number, isWaiting: boolean): JobLost | undefined {
    const hasBegun = this.#atBegin !== undefined;
    const [limitMs, longestMs] = hasBegun ? [this.#limitMs, PATIENCE * this.#limitMs] : [START_MS, LONGEST_START_MS];
    if (hasBegun && usedMs >= limitMs) return new JobLost(`it took ${limitMs} ms of processor time`, 'breach');
    if (isWaiting && tookMs >= limitMs) return new JobLost(`it waited for longer than ${limitMs} ms`, 'hang');
    if (tookMs < longestMs) return undefined;
    return new JobLost(`${hasBegun ? 'it' : 'its start'} lacked processor time for ${longestMs} ms`, 'busy');
  }

  /** Looks often enough to end a job that computes soon after its limit. */
  #nextMs(usedSeconds: number): number {
    return Math.min(this.#limitMs / 2, this.#limitMs - usedSeconds * 1000);
  }
}
