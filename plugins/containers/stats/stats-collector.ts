import { setTimeout as delay } from 'node:timers/promises';
import type { Container } from '../engine/container.ts';
import type { EngineClient } from '../engine/engine-client.ts';
import { count, members } from '../engine/untrusted-json.ts';
import type { CgroupReader } from './cgroup-reader.ts';
import { parseStats } from './engine-stats.ts';
import { cpuPercent, type ContainerSample, type ContainerUsage } from './sample.ts';

/** Time between the two samples of a container that has no recent sample. */
const FIRST_WINDOW_MS = 100;
/** An older sample is not compared with a new one. */
const PREVIOUS_MS = 10_000;
/** Samples closer together show no meaningful processor use. */
const LEAST_WINDOW_MS = FIRST_WINDOW_MS - 10;
/** An account with more running containers gets an error instead of sums. */
const MAX_CONTAINERS = 1000;

interface LatestSample {
  readonly sample: ContainerSample;
  readonly atMs: number;
  /** `undefined` where there was no earlier sample to compare with. */
  readonly cpuPercent: number | undefined;
}

/** Measures containers of one engine from the kernel's files, or where these are not readable, through the engine. */
export class StatsCollector {
  readonly #engine: EngineClient;
  readonly #cgroups: CgroupReader;
  /** The first process of a container, or that its files are not readable. */
  readonly #pids = new Map<string, number | 'unreadable'>();
  readonly #latest = new Map<string, LatestSample>();

  constructor(engine: EngineClient, cgroups: CgroupReader) {
    this.#engine = engine;
    this.#cgroups = cgroups;
  }

  /**
   * Leaves out containers that end during the call. Rejects when neither the files nor the engine have figures for one.
   */
  async measure(containers: readonly Container[]): Promise<ContainerUsage[]> {
    if (containers.length > MAX_CONTAINERS)
      throw new Error(`${containers.length} containers are running, more than the limit of ${MAX_CONTAINERS}`);
    const all = await Promise.all(containers.map((container) => this.#measure(container)));
    return all.filter((each) => each !== undefined).map(({ sample, cpuPercent = 0 }) => ({ ...sample, cpuPercent }));
  }

  /** Forgets all containers except these. */
  keepOnly(containers: readonly Container[]): void {
    const ids = new Set(containers.map(({ id }) => id));
    for (const map of [this.#pids, this.#latest]) for (const id of map.keys()) if (!ids.has(id)) map.delete(id);
  }

  /** Takes a second sample where there is no earlier one to compare the first with. */
  async #measure(container: Container): Promise<LatestSample | undefined> {
    const first = await this.#takeSample(container);
    if (first === undefined || first.cpuPercent !== undefined) return first;
    await delay(FIRST_WINDOW_MS);
    return this.#takeSample(container);
  }

  async #takeSample(container: Container): Promise<LatestSample | undefined> {
    const sample = await this.#read(container);
    if (sample === undefined) return undefined;
    const atMs = performance.now();
    const before = this.#latest.get(container.id);
    const isComparable =
      before !== undefined && before.sample.source === sample.source && atMs - before.atMs <= PREVIOUS_MS;
    if (isComparable && atMs - before.atMs < LEAST_WINDOW_MS) return { ...before, sample };
    const latest = { sample, atMs, cpuPercent: isComparable ? cpuPercent(before.sample, sample) : undefined };
    this.#latest.set(container.id, latest);
    return latest;
  }

  /**
   * Returns `undefined` when the container has ended. Process ids from an account's own engine are not trusted: they
   * could be another account's.
   */
  async #read(container: Container): Promise<ContainerSample | undefined> {
    const { id } = container;
    if (this.#engine.isOwn) return this.#readEngine(id);
    let sample = await this.#readFiles(container);
    if (sample === 'gone') {
      // its first process is not known yet, or it has restarted, or it has ended
      const pid = (await this.#cgroups.firstProcess(container)) ?? (await this.#inspect(id));
      if (pid === undefined) return undefined;
      this.#pids.set(id, pid);
      sample = await this.#readFiles(container);
    }
    if (typeof sample === 'object') return sample;
    const fromEngine = await this.#readEngine(id);
    if (fromEngine !== undefined) this.#pids.set(id, 'unreadable');
    return fromEngine;
  }

  async #readFiles(container: Container): Promise<ContainerSample | 'gone' | 'unreadable'> {
    const pid = this.#pids.get(container.id) ?? 'gone';
    if (typeof pid === 'string') return pid;
    return this.#cgroups.read(container, pid).catch(() => 'unreadable' as const); // falls back to the engine
  }

  /** Requests a container's first process from the engine; `undefined` when the container does not run. */
  async #inspect(id: string): Promise<number | undefined> {
    const { status, body } = await this.#engine.getJson(`/containers/${id}/json`);
    if (status === 404) return undefined;
    if (status !== 200) throw new Error(`the engine answers a request for container ${id} with ${status}`);
    return count(members(members(body)['State'])['Pid']) || undefined;
  }

  async #readEngine(id: string): Promise<ContainerSample | undefined> {
    const { status, body } = await this.#engine.getJson(`/containers/${id}/stats`, {
      query: { stream: 'false', 'one-shot': 'true' },
    });
    if (status === 404 || status === 409) return undefined;
    if (status !== 200)
      throw new Error(`the engine answers a request for statistics of container ${id} with ${status}`);
    return parseStats(body);
  }
}
