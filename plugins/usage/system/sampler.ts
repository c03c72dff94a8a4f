import { withDeadline } from '../../../kernel/kit/waiting/deadline.ts';
import { WorkerPool } from '../../../kernel/kit/waiting/worker-pool.ts';
import { fail, errorMessage } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import type { SystemNames } from '../../../kernel/contract/points/system-names.ts';
import { EtagReply } from '../../../kernel/contract/etag-reply.ts';
import type { HostReport, SystemReport } from './report.ts';

/** How often the system is sampled while somebody asks for it. */
const INTERVAL_MS = 5000;
/** Sampling goes on for this long after the last request. */
const FOLLOWED_MS = 30_000;
/** How long the first request waits for the first sample. */
const FIRST_MS = 3000;
/** A sample that takes longer, because a program hangs that was asked, is given up. */
const TIMEOUT_MS = 20_000;
const RETRY_SECONDS = 2;

/** Parts that the thread does not read. */
interface Readers {
  readonly processes: () => Promise<SystemReport['processes']>;
  readonly fileSystems: () => Promise<SystemReport['file_systems']>;
}

/**
 * Describes the system while somebody asks. Samples are taken in the background by a thread, one at a time; a request is
 * answered with the newest, and only the first one waits.
 */
export class SystemSampler {
  readonly #pool: WorkerPool<null, HostReport>;
  readonly #processes: () => Promise<SystemReport['processes']>;
  readonly #fileSystems: () => Promise<SystemReport['file_systems']>;
  readonly #log: Log;
  #newest: { readonly report: SystemReport; readonly reply: EtagReply; readonly atMs: number } | undefined;
  #flight: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #askedMs = -Infinity;
  #names: SystemNames | undefined;

  constructor({ processes, fileSystems }: Readers, log: Log) {
    this.#processes = processes;
    this.#fileSystems = fileSystems;
    this.#log = log;
    this.#pool = openSystemPool();
  }

  /** The newest report. Errors: 503 `overloaded` while there is none yet. */
  reply(): EtagReply | Promise<EtagReply> {
    this.#askedMs = performance.now();
    const isFresh = this.#newest !== undefined && this.#askedMs - this.#newest.atMs < FOLLOWED_MS;
    this.#sample();
    return isFresh && this.#newest !== undefined ? this.#newest.reply : this.#first();
  }

  /** The names of the host, without a wait: `undefined` until a first sample, which this starts, has been taken. */
  names(): SystemNames | undefined {
    if (this.#newest === undefined) this.#sample();
    else this.#names ??= namesOf(this.#newest.report);
    return this.#names;
  }

  close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#askedMs = -Infinity;
    return this.#pool.close();
  }

  async #first(): Promise<EtagReply> {
    const late = () =>
      fail.overloaded('the system is being sampled for the first time', { retryAfterSeconds: RETRY_SECONDS });
    const startedMs = performance.now();
    await withDeadline(this.#flight ?? Promise.resolve(), FIRST_MS, late);
    if (this.#newest === undefined || this.#newest.atMs < startedMs) throw late();
    return this.#newest.reply;
  }

  /** Takes a sample unless one is on its way or the next is due later. */
  #sample(): void {
    if (this.#flight !== undefined || this.#timer !== undefined) return;
    const processes = this.#processes().catch((error: unknown) => ({
      total: 0,
      top: [],
      problem: errorMessage(error),
    }));
    this.#flight = Promise.all([this.#pool.ask(null), processes, this.#fileSystems()])
      .then(
        ([host, listed, file_systems]) => {
          const report = { ...host, file_systems, processes: listed };
          this.#newest = { report, reply: EtagReply.json(report), atMs: performance.now() };
        },
        (error: unknown) => this.#log.warn({ err: error }, 'the system could not be sampled'),
      )
      .finally(() => {
        this.#flight = undefined;
        if (performance.now() - this.#askedMs < FOLLOWED_MS) this.#again();
      });
  }

  #again(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (performance.now() - this.#askedMs < FOLLOWED_MS) this.#sample();
    }, INTERVAL_MS).unref();
  }
}

/** The thread that describes the system, which ends when it is not asked for a while. */
export function openSystemPool(): WorkerPool<null, HostReport> {
  return new WorkerPool({
    beside: import.meta.url,
    script: 'report-worker',
    waiting: 1,
    timeoutMs: TIMEOUT_MS,
    idleMs: FOLLOWED_MS,
    worker: { name: 'system' },
  });
}

function namesOf({ processor, operating_system: os }: SystemReport): SystemNames {
  return {
    processor: `${processor.manufacturer} ${processor.model}`.trim(),
    distribution: [os.distribution, os.release, os.codename && `(${os.codename})`].filter(Boolean).join(' '),
  };
}
