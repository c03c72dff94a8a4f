import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import type { CpuLoad, MemorySpace, Partition } from '../../../kernel/areas/machine.ts';
import { Sample } from './sample.ts';

/** The sources of the figures. Each can fail independently. */
export interface Readers {
  /** Resolves with the load since the last call. */
  cpu(): Promise<CpuLoad>;
  memory(): Promise<MemorySpace>;
  disks(): Promise<readonly Partition[]>;
}

/** Time between the two readings that the first load after a pause needs. */
const FIRST_MS = 100;
/** How long sampling continues after the last read, and for how many samples at least. */
const LINGER_MS = 5000;
const LINGER_ROUNDS = 3;
const CLOCK_LEEWAY_MS = 5000;

/**
 * Takes a sample at each interval while there are readers, and pauses when there are none. A reader gets a sample that
 * is at most one interval old.
 */
export class Sampler {
  readonly #readers: Readers;
  readonly #intervalMs: number;
  readonly #lingerRounds: number;
  readonly #log: Log;
  readonly #listeners = new Set<(sample: Sample) => void>();
  #latest: Sample | undefined;
  #resuming: Promise<Sample> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #wasRead = false;
  #idleRounds = 0;
  #isBusy = false;
  #isClosed = false;
  #failures = '';
  /** Samples taken since the start. */
  taken = 0;
  /** Whether there are readers that do not call `read`, such as open streams. */
  isFollowed: () => boolean = () => false;

  constructor(readers: Readers, intervalMs: number, log: Log, lingerMs = LINGER_MS) {
    this.#readers = readers;
    this.#intervalMs = intervalMs;
    this.#lingerRounds = Math.max(LINGER_ROUNDS, lingerMs / intervalMs);
    this.#log = log;
  }

  /** Returns the newest sample; a promise where sampling was paused and has to start first. */
  read(): Sample | Promise<Sample> {
    this.#wasRead = true;
    if (this.#timer !== undefined && this.#latest !== undefined) return this.#latest;
    this.#resuming ??= this.#resume();
    return this.#resuming;
  }

  /** Age of the newest sample; `undefined` before the first one. */
  get ageMs(): number | undefined {
    return this.#latest === undefined ? undefined : Date.now() - this.#latest.at;
  }

  /** Calls back with each sample; returns a function that unsubscribes. */
  listen(listener: (sample: Sample) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns a sample for the history without resuming: the newest, or while paused one that spans the pause so far. */
  async record(): Promise<Sample> {
    if (this.#resuming !== undefined) return this.#resuming;
    return this.#timer !== undefined && this.#latest !== undefined ? this.#latest : this.#take(false);
  }

  close(): void {
    this.#isClosed = true;
    this.#pause();
  }

  #pause(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Takes one sample that ends the pause, for the history, and a second one for the readers. */
  async #resume(): Promise<Sample> {
    await this.#take(false);
    await sleep(FIRST_MS, undefined, { ref: false });
    const sample = await this.#take(true);
    this.#resuming = undefined;
    this.#idleRounds = 0;
    if (!this.#isClosed) this.#timer = setInterval(() => void this.#tick(), this.#intervalMs).unref();
    return sample;
  }

  async #tick(): Promise<void> {
    this.#idleRounds = this.#wasRead || this.isFollowed() ? 0 : this.#idleRounds + 1;
    this.#wasRead = false;
    if (this.#idleRounds > this.#lingerRounds) this.#pause();
    else if (!this.#isBusy) await this.#take(true);
  }

  async #take(isLive: boolean): Promise<Sample> {
    this.#isBusy = true;
    const [cpu, memory, disks] = await Promise.all([
      settled(this.#readers.cpu()),
      settled(this.#readers.memory()),
      settled(this.#readers.disks()),
    ]);
    const last = this.#latest?.at;
    const at = timeAfter(last, Date.now());
    const sample = new Sample({
      at,
      spanMs: last === undefined ? 0 : Math.max(0, at - last),
      isLive,
      cpu,
      memory,
      disks,
    });
    this.#latest = sample;
    this.#isBusy = false;
    this.taken += 1;
    this.#warn([cpu, memory, disks]);
    for (const listener of this.#listeners) listener(sample);
    return sample;
  }

  /** Logs failures when they change, not at every sample. */
  #warn(results: readonly PromiseSettledResult<unknown>[]): void {
    const failures = results
      .flatMap((result) => (result.status === 'rejected' ? [errorMessage(result.reason)] : []))
      .join('; ');
    if (failures !== '' && failures !== this.#failures)
      this.#log.warn({ failures }, 'some figures of the host cannot be read');
    this.#failures = failures;
  }
}

/** Returns a time after the last sample's, unless the clock was set back by more than the leeway. */
function timeAfter(last: number | undefined, now: number): number {
  return last === undefined || now < last - CLOCK_LEEWAY_MS ? now : Math.max(now, last + 1);
}

async function settled<T>(promise: Promise<T>): Promise<PromiseSettledResult<T>> {
  const [result] = await Promise.allSettled([promise]);
  return result;
}
