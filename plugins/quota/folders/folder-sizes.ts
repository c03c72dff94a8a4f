import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { AccountJobs } from '../../../kernel/kit/jobs/account-jobs.ts';
import type { JobPool } from '../../../kernel/kit/jobs/job-pool.ts';
import { defineJob, type Job } from '../../../kernel/kit/jobs/job.ts';
import type { Log } from '../../../kernel/log.ts';
import { counter, gauge, type Metric } from '../../../kernel/contract/points/metric.ts';
import type { Measured, MeasuredFolders } from '../store.ts';
import type measureFolder from './du-job.ts';
import type { Unit } from './du.ts';
import type measureFolders from './folders-job.ts';
import { SingleFlight } from './single-flight.ts';

interface Options {
  readonly jobs: AccountJobs;
  readonly log: Log;
  /** Measurements at once. */
  readonly walks: number;
  readonly command: string;
  readonly timeoutMs: number;
}

/** A measurement may be long: these processes keep no other job of an account waiting. */
const IDLE_MS = 5000;
/** Measurements of one account that may wait. */
const WAITING = 32;
/** The most folders of one folder by size, and as many by the number of names. */
const LARGEST = 100;
/** How long after `du` itself its process is stopped. */
const GRACE_MS = 5000;

/**
 * Measures folders of accounts: a bounded number at once, one measurement for all concurrent requests for a folder, and
 * none that no request waits for.
 */
export class FolderSizes {
  readonly #options: Options;
  readonly #pool: JobPool;
  readonly #job: Job<Parameters<typeof measureFolder>[0], Awaited<ReturnType<typeof measureFolder>>>;
  readonly #eachJob: Job<Parameters<typeof measureFolders>[0], Awaited<ReturnType<typeof measureFolders>>>;
  readonly #sizes = new SingleFlight<number>();
  readonly #largest = new SingleFlight<MeasuredFolders>();
  #walks = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#pool = options.jobs.open({ name: 'sizes', processes: options.walks, idleMs: IDLE_MS, waiting: WAITING });
    const timeoutMs = 2 * options.timeoutMs + GRACE_MS;
    const how = { beside: import.meta.url, timeoutMs, tooMuch: 'overloaded' } as const;
    this.#job = defineJob<typeof measureFolder>({ ...how, script: 'du-job' });
    this.#eachJob = defineJob<typeof measureFolders>({ ...how, script: 'folders-job' });
  }

  /** Returns the bytes on disk of a folder. Errors: 404 `folder_not_found`, 503. */
  bytes(account: Account, components: readonly string[], signal: AbortSignal): Promise<number> {
    return this.#sizes.join(account, components.join('/'), signal, async (ending) => {
      const [bytes = 0] = await this.#measure(account, components, ['bytes'], ending);
      return bytes;
    });
  }

  /**
   * Returns what a folder takes, and the folders in it that take the most, once `keep` has taken it. Errors: 404 `folder_not_found`, 503,
   * those of `keep`.
   */
  largest(
    account: Account,
    components: readonly string[],
    signal: AbortSignal,
    keep: (measured: MeasuredFolders) => Promise<void>,
  ): Promise<MeasuredFolders> {
    return this.#largest.join(account, components.join('/'), signal, async (ending) => {
      const { jobs, command, timeoutMs } = this.#options;
      const input = { components, command, timeoutMs, most: LARGEST };
      const at = Date.now();
      const { skipped, ...found } = await this.#pool.run(this.#eachJob, jobs.ownerOf(account), input, {
        signal: ending,
      });
      this.#noteWalk(account, skipped);
      await keep({ ...found, at });
      return { ...found, at };
    });
  }

  /** Measures all files of an account. A client that goes away does not abort this, because the result is cached. */
  async all(account: Account): Promise<Measured> {
    const at = Date.now();
    const [bytes = 0, inodes = 0] = await this.#measure(account, [], ['bytes', 'inodes']);
    return { bytes, inodes, at };
  }

  metrics(): Metric[] {
    return [
      counter('hostkeep_folder_walks_total', 'Folders measured', this.#walks),
      gauge('hostkeep_folder_walks_pending', 'Folders being measured or waiting for it', [
        { labels: { state: 'running' }, value: this.#pool.running },
        { labels: { state: 'waiting' }, value: this.#pool.waiting },
      ]),
    ];
  }

  async close(): Promise<void> {
    await this.#sizes.close();
    await this.#largest.close();
    await this.#pool.close();
  }

  async #measure(
    account: Account,
    components: readonly string[],
    units: readonly Unit[],
    signal?: AbortSignal,
  ): Promise<readonly number[]> {
    const { jobs, command, timeoutMs } = this.#options;
    const input = { components, units, command, timeoutMs };
    const { totals, skipped } = await this.#pool.run(this.#job, jobs.ownerOf(account), input, {
      ...(signal !== undefined && { signal }),
    });
    this.#noteWalk(account, skipped);
    return totals;
  }

  #noteWalk({ username }: Account, skipped: string): void {
    this.#walks += 1;
    if (skipped !== '') this.#options.log.warn({ account: username, stderr: skipped }, 'du skipped some files');
  }
}
