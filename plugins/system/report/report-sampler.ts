import { Polled } from '../../../kernel/kit/waiting/polled.ts';
import { WorkerPool } from '../../../kernel/kit/waiting/worker-pool.ts';
import { fail, errorMessage } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import type { SystemNames, SystemReport } from '../../../kernel/areas/machine.ts';
import { EtagReply } from '../../../kernel/areas/etag-reply.ts';

/** How often the system is sampled while somebody asks for it. */
const INTERVAL_MS = 5000;
/** Sampling goes on for this long after the last request. */
const FOLLOWED_MS = 30_000;
/** How long the first request waits for the first sample. */
const FIRST_MS = 3000;
/** A sample that takes longer, because a program hangs that was asked, is given up. */
const TIMEOUT_MS = 20_000;
const RETRY_SECONDS = 2;

/** Report of the thread. */
export type HostReport = Omit<SystemReport, 'processes' | 'file_systems'>;

/** Parts that the thread does not read. */
interface Readers {
  readonly processes: () => Promise<SystemReport['processes']>;
  readonly fileSystems: () => Promise<SystemReport['file_systems']>;
}

/** Describes the system, sampled in the background while somebody asks; only the first request waits. */
export class ReportSampler {
  readonly #pool = openSystemPool();
  readonly #newest: Polled<{ readonly report: SystemReport; readonly reply: EtagReply }>;
  #names: SystemNames | undefined;

  constructor({ processes, fileSystems }: Readers, log: Log) {
    const late = () =>
      fail.overloaded('the system is being sampled for the first time', { retryAfterSeconds: RETRY_SECONDS });
    this.#newest = new Polled({
      measure: async () => {
        const listed = processes().catch((error: unknown) => ({ total: 0, top: [], problem: errorMessage(error) }));
        const [host, list, file_systems] = await Promise.all([this.#pool.ask(null), listed, fileSystems()]);
        const report = { ...host, file_systems, processes: list };
        return { report, reply: EtagReply.json(report) };
      },
      freshMs: FOLLOWED_MS,
      everyMs: INTERVAL_MS,
      idleMs: FOLLOWED_MS,
      waitMs: FIRST_MS,
      late,
      failed: late,
      onStateChange: (error) => {
        if (error !== undefined) log.warn({ err: error }, 'the system could not be sampled');
      },
    });
  }

  /** The newest report. Errors: 503 `overloaded` while there is none yet. */
  async reply(): Promise<EtagReply> {
    return (await this.#newest.read()).reply;
  }

  /** The names of the host, without a wait: `undefined` until a first sample, which this starts, has been taken. */
  names(): SystemNames | undefined {
    const { latest } = this.#newest;
    if (latest === undefined) this.#newest.renew();
    else this.#names ??= namesOf(latest.report);
    return this.#names;
  }

  async close(): Promise<void> {
    const closed = this.#newest.close();
    await this.#pool.close();
    await closed;
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
