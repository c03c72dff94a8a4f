import { readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { killProgram, startProgram, type ChildProcess, type ProgramUser } from '../system/start-program.ts';
import { JobChannel } from './job-channel.ts';
import type { JobOwner, JobReply, JobRequest, JobStart } from './job.ts';

/** What the system enforces for one process. */
export interface JobLimits {
  /** Private memory. */
  readonly memoryMib: number;
  readonly openFiles: number;
  /** The largest file that it may write. */
  readonly fileMib: number;
  /** The longest reply. */
  readonly replyMib: number;
}

/** A process that keeps no rights of this one. */
export interface BareProcess {
  /** Whom it runs as; `undefined` where this process cannot choose. */
  readonly user: ProgramUser | undefined;
}

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
const PROGRAM = fileURLToPath(
  new URL(`./job-process${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
);
/** How long a process has to end in order. */
const END_MS = 5000;
/** A job that used less than this share of its time limit, and does not run at its end, was waiting. */
const BUSY_SHARE = 0.5;
/** Characters of what a process printed last that are kept for the log. */
const PRINTED = 1000;
const TICKS_PER_SECOND = 100;

function launch({ memoryMib, openFiles, fileMib }: JobLimits, bare: BareProcess | undefined): ChildProcess {
  return startProgram(process.execPath, ['--max-semi-space-size=4', PROGRAM], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    ...(bare === undefined ? { exception: 'job' } : bare.user && { user: bare.user }),
    limits: { dataBytes: memoryMib * MIB, openFiles, fileBytes: fileMib * MIB },
    isOffline: true,
    isGroup: true,
  });
}

/** A process that serves one owner, seen from its caller. */
export class JobWorker {
  readonly owner: JobOwner;
  /** Resolves once the process has ended, which a dead file system can delay for ever. */
  readonly exited: Promise<void>;
  /** The time of its last job, on the monotonic clock. */
  usedAt = performance.now();
  readonly #child: ChildProcess;
  readonly #channel: JobChannel;
  /** By the id of the request. */
  readonly #pending = new Map<number, Pending>();
  #nextId = 0;
  #isEnded = false;

  constructor(owner: JobOwner, limits: JobLimits, bare?: BareProcess) {
    this.owner = owner;
    this.#child = launch(limits, bare);
    this.exited = new Promise((resolve) => this.#child.once('exit', () => resolve()));
    this.#child.once('error', (error) => this.#lose(new JobLost(error.message, 'other')));
    let printed = '';
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (printed = (printed + text).slice(-PRINTED)));
    this.#child.once('exit', (code, signal) =>
      this.#lose(
        new JobLost(
          `the process ended with ${signal ?? code} ${printed}`.trim(),
          signal === 'SIGKILL' || signal === 'SIGTERM' ? 'other' : 'breach',
        ),
      ),
    );
    this.#channel = new JobChannel(this.#child.stdio[3] as Duplex, {
      maxBytes: limits.replyMib * MIB,
      onMessage: (reply, bytes) => this.#settle(reply as JobReply, bytes),
      onClose: (fault) => fault !== undefined && this.kill(new JobLost(fault.message, 'breach')),
    });
    this.#channel.send({ root: owner.root ?? null, stateFolder: owner.stateFolder ?? null } satisfies JobStart);
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
    const before = this.#usage();
    const expire = () => {
      const { isRunning, seconds } = this.#usage();
      const share = ((seconds - before.seconds) * 1000) / timeoutMs;
      const reason = !isRunning && share < BUSY_SHARE ? 'hang' : 'breach';
      this.kill(new JobLost(`it took longer than ${timeoutMs} ms`, reason));
    };
    const giveUp = () => this.kill(new JobLost('nobody waits for it', 'other'));
    const timer = setTimeout(expire, timeoutMs);
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      return await new Promise((resolve, reject) => {
        if (this.#isEnded) return reject(new JobLost('the process has ended', 'other'));
        this.#pending.set(id, { resolve, reject });
        this.#child.ref();
        this.#channel.send({ ...request, id } satisfies JobRequest, bytes);
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
      this.#pending.delete(id);
      this.usedAt = performance.now();
      if (!this.isBusy) this.#child.unref();
    }
  }

  /** Lets the process end in order, and kills it if that takes too long. */
  async end(): Promise<void> {
    this.#isEnded = true;
    this.#child.ref();
    this.#channel.end();
    const timer = setTimeout(() => this.kill(new JobLost('it did not end', 'other')), END_MS).unref();
    await this.exited;
    clearTimeout(timer);
  }

  /** Kills the process and all that it started. */
  kill(why: JobLost): void {
    this.#lose(why);
    killProgram(this.#child, { isGroup: true });
  }

  #settle(reply: JobReply, bytes: Buffer): void {
    if (typeof reply?.ok === 'boolean') this.#pending.get(reply.id)?.resolve({ ...reply, bytes });
    else this.kill(new JobLost('its reply is none', 'breach'));
  }

  #lose(why: JobLost): void {
    this.#isEnded = true;
    for (const { reject } of this.#pending.values()) reject(why);
    this.#pending.clear();
  }

  /** Its state (proc(5)), and the processor time of the process and of the programs that it ran. */
  #usage(): { readonly isRunning: boolean; readonly seconds: number } {
    try {
      const stat = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const ticks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0);
      return { isRunning: fields[0] === 'R', seconds: ticks / TICKS_PER_SECOND };
    } catch {
      return { isRunning: false, seconds: 0 };
    }
  }
}
