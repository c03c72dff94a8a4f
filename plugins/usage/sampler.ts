import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { cpuLoad, parseStat, type CpuLoad, type CpuTimes } from './cpu.ts';
import type { MemorySpace } from './memory.ts';
import { Sample } from './sample.ts';
import type { Partition } from './schema.ts';

/** Where the figures come from. Each may fail by itself. */
export interface Readers {
  cpu(): Promise<CpuTimes>;
  memory(): Promise<MemorySpace>;
  disks(): Promise<readonly Partition[]>;
}

export function cpuReader(procRoot: string): () => Promise<CpuTimes> {
  const file = join(procRoot, 'stat');
  return async () => parseStat(await readFile(file, 'latin1'));
}

/** Between the two readings that the first load after a rest needs. */
const FIRST_MS = 100;
/** For how long it works on when nobody reads any more, and for how many samples at the least. */
const LINGER_MS = 5000;
const LINGER_ROUNDS = 3;
const CLOCK_LEEWAY_MS = 5000;

/**
 * One sampler, many readers: it takes a sample at each interval while somebody reads, and rests while nobody does.
 * What a reader gets is at most an interval old.
 */
export class Sampler {
  readonly #readers: Readers;
  readonly #intervalMs: number;
  readonly #lingerRounds: number;
  readonly #log: Log;
  readonly #listeners = new Set<(sample: Sample) => void>();
  #times: PromiseSettledResult<CpuTimes> | undefined;
  #latest: Sample | undefined;
  #waking: Promise<Sample> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #wasRead = false;
  #idleRounds = 0;
  #isBusy = false;
  #isClosed = false;
  #failures = '';
  /** Samples taken since the start. */
  taken = 0;
  /** Whether somebody reads without asking, as an open stream does. */
  isFollowed: () => boolean = () => false;

  constructor(readers: Readers, intervalMs: number, log: Log, lingerMs = LINGER_MS) {
    this.#readers = readers;
    this.#intervalMs = intervalMs;
    this.#lingerRounds = Math.max(LINGER_ROUNDS, lingerMs / intervalMs);
    this.#log = log;
  }

  /** The newest sample; a promise when the sampler rested and has to take one first. */
  read(): Sample | Promise<Sample> {
    this.#wasRead = true;
    if (this.#timer !== undefined && this.#latest !== undefined) return this.#latest;
    this.#waking ??= this.#wake();
    return this.#waking;
  }

  /** Milliseconds since the newest sample, whenever that was. */
  get ageMs(): number | undefined {
    return this.#latest === undefined ? undefined : Date.now() - this.#latest.at;
  }

  /** Calls back with each sample; returns what ends it. */
  listen(listener: (sample: Sample) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A sample for the record, without waking: the newest while at work, else one whose load is that of all the time since the last. */
  async record(): Promise<Sample> {
    if (this.#waking !== undefined) return this.#waking;
    return this.#timer !== undefined && this.#latest !== undefined ? this.#latest : this.#take(false);
  }

  close(): void {
    this.#isClosed = true;
    this.#rest();
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** The first sample ends the time of rest, for the record; the second one is what readers get. */
  async #wake(): Promise<Sample> {
    await this.#take(false);
    await sleep(FIRST_MS, undefined, { ref: false });
    const sample = await this.#take(true);
    this.#waking = undefined;
    this.#idleRounds = 0;
    if (!this.#isClosed) this.#timer = setInterval(() => void this.#tick(), this.#intervalMs).unref();
    return sample;
  }

  async #tick(): Promise<void> {
    this.#idleRounds = this.#wasRead || this.isFollowed() ? 0 : this.#idleRounds + 1;
    this.#wasRead = false;
    if (this.#idleRounds > this.#lingerRounds) this.#rest();
    else if (!this.#isBusy) await this.#take(true);
  }

  async #take(isLive: boolean): Promise<Sample> {
    this.#isBusy = true;
    const before = this.#times;
    const [times, memory, disks] = await Promise.all([
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
      cpu: loadBetween(before, times),
      memory,
      disks,
    });
    this.#times = times;
    this.#latest = sample;
    this.#isBusy = false;
    this.taken += 1;
    this.#warn([times, memory, disks]);
    for (const listener of this.#listeners) listener(sample);
    return sample;
  }

  /** A figure that fails is told once, not once a second. */
  #warn(results: readonly PromiseSettledResult<unknown>[]): void {
    const failures = results
      .flatMap((result) => (result.status === 'rejected' ? [messageOf(result.reason)] : []))
      .join('; ');
    if (failures !== '' && failures !== this.#failures)
      this.#log.warn({ failures }, 'the host does not tell all figures');
    this.#failures = failures;
  }
}

/** Later than the last sample by a millisecond at least, but for a clock that was set back by more than a little. */
function timeAfter(last: number | undefined, now: number): number {
  return last === undefined || now < last - CLOCK_LEEWAY_MS ? now : Math.max(now, last + 1);
}

function loadBetween(
  before: PromiseSettledResult<CpuTimes> | undefined,
  after: PromiseSettledResult<CpuTimes>,
): PromiseSettledResult<CpuLoad> {
  if (after.status === 'rejected') return after;
  if (before?.status !== 'fulfilled') return { status: 'rejected', reason: new Error('a load needs two readings') };
  return { status: 'fulfilled', value: cpuLoad(before.value, after.value) };
}

async function settled<T>(promise: Promise<T>): Promise<PromiseSettledResult<T>> {
  const [result] = await Promise.allSettled([promise]);
  return result;
}
