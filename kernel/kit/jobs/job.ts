/**
 * Jobs: all work on customers' bytes. A job runs in a child process that serves one owner only, started without
 * capabilities and network, with limits that the system enforces. A thread is no boundary: the memory, the crash and the
 * hung file system of one customer would be everybody's.
 */
import { fileURLToPath } from 'node:url';
import { errorMessage, type HttpError } from '../../errors.ts';
import type { FilesRoot } from '../files/files-root.ts';

/** On whose behalf a job runs, and what it may reach. */
export interface JobOwner {
  /** The name of the owner among all others of the pool, e.g. an account's id. */
  readonly key: string | number;
  /** The account whose files are in `root`; `undefined` for work that concerns no account's files. */
  readonly account?: Identified;
  /** The only folder of customers' files that the job opens; the process takes the user id of its owner. */
  readonly root?: FilesRoot;
  /** Says which folder `root` is, unless it is the files root of the account. */
  readonly folder?: AccountFolder;
  /** Names a private folder of the account that outlives the process; its working directory. */
  readonly state?: string;
  /** Whether the process makes `root` where it is missing. */
  readonly makesRoot?: boolean;
  /** Whether the jobs open no files: where `root` is missing, the process takes the user id of the account. */
  readonly opensNothing?: boolean;
}

/** A folder of an account beside its files: the verb `folder` of a plugin returns its path for this name. */
export interface AccountFolder {
  readonly plugin: string;
  readonly name: string;
}

/** An account, as jobs know it. */
export interface Identified {
  readonly id: number;
  readonly username: string;
}

/** The context of a job. */
export interface JobContext {
  readonly root: FilesRoot;
  /** Bytes that came with the input. */
  readonly bytes: Buffer;
  /** Tells the caller how far the job is; see `JobRunOptions.onProgress`. */
  report(progress: unknown): void;
  /**
   * Asks the caller for something that the job cannot reach itself; see `JobRunOptions.onAsk`. Rejects with the caller's error,
   * whose `code` is one of the catalogue if it has one.
   */
  ask(question: unknown, bytes?: Uint8Array): Promise<JobAnswer>;
  /** Calls `release` before the process ends, unless it is killed. */
  onClose(release: () => void | Promise<void>): void;
}

/** The answer of a caller to its job; `bytes` are empty if there are none. */
export interface JobAnswer {
  readonly answer: unknown;
  readonly bytes: Uint8Array;
}

/**
 * The default export of a job's file. Input and output are JSON. Errors with a code of the catalogue reach the caller as
 * such; all others reject with 503 `files_unavailable`.
 */
export type JobFunction<I, O> = (input: I, context: JobContext) => O | Promise<O>;

/** An output with bytes beside it: pictures, which JSON would make larger, or JSON that is ready for a client. */
export class WithBytes<O = null> {
  readonly bytes: Uint8Array;
  readonly output: O;

  constructor(bytes: Uint8Array, output: O) {
    this.bytes = bytes;
    this.output = output;
  }
}

interface JobOptions {
  /** The caller's `import.meta.url`; the job's file is in the same folder or below. */
  readonly beside: string;
  /** The file name, without its extension. */
  readonly script: string;
  /** Processor time that it may take, and time that it may wait for something outside, such as a slow disk. */
  readonly timeoutMs: number;
  /** The error for an input that takes more memory or time than a job may. */
  readonly tooMuch: string;
}

/** A job, as its callers name it; see `defineJob`. */
export interface Job<I, O> extends Omit<JobOptions, 'beside' | 'script'> {
  readonly file: string;
  /** Never set: it carries the types of the job's input and output. */
  readonly types?: JobFunction<I, O>;
}

/** Describes a job; `F` is the type of its file's default export. */
export function defineJob<F extends JobFunction<never, unknown>>({
  beside,
  script,
  ...options
}: JobOptions): Job<Parameters<F>[0], Awaited<ReturnType<F>>> {
  return { ...options, file: fileURLToPath(new URL(`${script}${beside.endsWith('.ts') ? '.ts' : '.js'}`, beside)) };
}

/** How a job is run. One with bytes or a signal of its own runs for its caller alone. */
export interface JobRunOptions {
  /** Kills the process of the job when nobody waits for the reply any more. */
  readonly signal?: AbortSignal;
  readonly bytes?: Uint8Array;
  /** Takes what the job reports, which comes from a process that may be in foreign hands; with a `signal`. */
  readonly onProgress?: (progress: unknown) => void;
  /**
   * Answers what the job asks, which comes from a process that may be in foreign hands; with a `signal`. A job that asks more
   * than `JOB_QUESTIONS` at once is ended.
   */
  readonly onAsk?: (question: unknown, bytes: Buffer) => Promise<JobAnswer>;
  /** Puts the job before those that are not reserved, such as work in the background. */
  readonly isReserved?: boolean;
  /** Leaves the priority of the job's process as it is: normal, unless the process has run another job before. */
  readonly isUrgent?: boolean;
}

/** The questions of one job that its caller answers at once. */
export const JOB_QUESTIONS = 16;
/** The variable that holds the `JobStart` of a job's process. */
export const JOB_START = 'HOSTKEEP_JOB';
/** Variables for the C library of a job's process: one heap for all its threads takes less memory. */
export const LEAN_ENV = { MALLOC_ARENA_MAX: '1' };

/** The start message of a job's process, from the process that starts it, which need not be the one that it works for. */
export interface JobStart {
  readonly root: FilesRoot | null;
  readonly stateFolder: string | null;
  /** The user and group of the account's files; `null` where the owner of the root decides. */
  readonly user: JobUser | null;
  readonly makesRoot: boolean;
  readonly opensNothing: boolean;
}
/** Who owns the files of an account. */
export interface JobUser {
  /** The user id of the account, which its group has too. */
  readonly uid: number;
  /** The user of the system that has the account's name, and may own its root instead; `null` for none. */
  readonly namesakeUid: number | null;
  /** The group that may enter the root: that of the web server; `null` for none. */
  readonly webGid: number | null;
  /** Whether a root of anybody else is refused. */
  readonly isRequired: boolean;
}
/** A request to a job's process. */
export interface JobRequest {
  /** A number that the reply repeats. */
  readonly id: number;
  readonly file: string;
  readonly input: unknown;
  /** Whether it needs a process that has made the root. */
  readonly needsRoot?: boolean;
  readonly isUrgent?: boolean;
}
/** Says that the process has started and loaded what a `JobRequest` asks for, whose time begins now. */
export interface JobBegun {
  readonly id: number;
  /** Processor seconds that the process has taken so far. */
  readonly begunAt: number;
}
/** Says how far the job of a `JobRequest` is. */
export interface JobProgress {
  readonly id: number;
  readonly progress: unknown;
}
/** A question of the job of a `JobRequest`, with bytes after it. */
export interface JobQuestion {
  readonly id: number;
  /** A number that the answer repeats. */
  readonly asks: number;
  readonly question: unknown;
}
/** The answer to a `JobQuestion`, with bytes after it. */
export interface JobAnswered {
  readonly answers: number;
  readonly answer?: unknown;
  readonly error?: JobFailure;
}
/** An error on its way between the processes. */
export interface JobFailure {
  readonly code?: string;
  readonly message: string;
  /** The value of the header. */
  readonly retryAfter?: string;
}
/** The answer to a `JobRequest`. */
export type JobReply = { readonly id: number } & (
  | { readonly ok: true; readonly output?: unknown; readonly hasBytes?: true }
  | ({ readonly ok: false; readonly isOutdated?: true } & JobFailure)
);

/** Returns what of an error reaches the other process. */
export function describeFailure(error: unknown): JobFailure {
  const { code, headers } = (error ?? {}) as { readonly code?: unknown; readonly headers?: HttpError['headers'] };
  const retryAfter = headers?.['Retry-After'];
  return {
    message: errorMessage(error),
    ...(typeof code === 'string' && { code }),
    ...(retryAfter !== undefined && { retryAfter }),
  };
}
