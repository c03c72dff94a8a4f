import { setTimeout as delay } from 'node:timers/promises';
import type { Container } from '../engine/container.ts';
import type { EngineClient } from '../engine/engine-client.ts';
import type { CgroupReader } from './cgroup-reader.ts';
import { cpuPercent, type ContainerSample, type ContainerUsage } from './sample.ts';

/** Time between the two samples of a container that has no recent sample. */
const FIRST_WINDOW_MS = 100;
/** An older sample is not compared with a new one. */
const PREVIOUS_MS = 10_000;
/** Samples closer together show no meaningful processor use. */
const LEAST_WINDOW_MS = FIRST_WINDOW_MS - 10;
/** An account with more running containers gets an error instead of sums. */
const MAX_CONTAINERS = 1000;
/** Of further running containers on an account's own engine, which may invent them, there are no samples. */
const MAX_OWN_CONTAINERS = 50;

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
   * `client` is the account. Leaves out containers that end during the call. Rejects when neither the files nor the engine have figures for one.
   */
  async measure(containers: readonly Container[], client: number): Promise<ContainerUsage[]> {
    if (containers.length > MAX_CONTAINERS)
      throw new Error(`${containers.length} containers are running, more than the limit of ${MAX_CONTAINERS}`);
    const measured = this.#engine.isOwn ? containers.slice(0, MAX_OWN_CONTAINERS) : containers;
    const all = await Promise.all(
      measured.map(async (container) => {
        const { sample, cpuPercent = 0 } = (await this.#measure(container, client)) ?? {};
        return sample && { id: container.id, ...sample, cpuPercent };
      }),
    );
    return all.filter((each) => each !== undefined);
  }

  /** Forgets all containers except these. */
  keepOnly(containers: readonly Container[]): void {
    const ids = new Set(containers.map(({ id }) => id));
    for (const map of [this.#pids, this.#latest]) for (const id of map.keys()) if (!ids.has(id)) map.delete(id);
  }

  /** Takes a second sample where there is no earlier one to compare the first with. */
  async #measure(container: Container, client: number): Promise<LatestSample | undefined> {
    const first = await this.#takeSample(container, client);
    if (first === undefined || first.cpuPercent !== undefined) return first;
    await delay(FIRST_WINDOW_MS);
    return this.#takeSample(container, client);
  }

  async #takeSample(container: Container, client: number): Promise<LatestSample | undefined> {
    const sample = await this.#read(container, client);
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
  async #read(container: Container, client: number): Promise<ContainerSample | undefined> {
    const { id } = container;
    if (this.#engine.isOwn) return this.#readEngine(id, client);
    let sample = await this.#readFiles(container, client);
    if (sample === 'gone') {
      // its first process is not known yet, or it has restarted, or it has ended
      const pid =
        (await this.#cgroups.firstProcess(container, client)) ??
        (await this.#engine.ask('firstProcess', { id }, { client }));
      if (pid === null) return undefined;
      this.#pids.set(id, pid);
      sample = await this.#readFiles(container, client);
    }
    if (typeof sample === 'object') return sample;
    const fromEngine = await this.#readEngine(id, client);
    if (fromEngine !== undefined) this.#pids.set(id, 'unreadable');
    return fromEngine;
  }

  async #readFiles(container: Container, client: number): Promise<ContainerSample | 'gone' | 'unreadable'> {
    const pid = this.#pids.get(container.id) ?? 'gone';
    if (typeof pid === 'string') return pid;
    return this.#cgroups.read(container, pid, client).catch(() => 'unreadable' as const); // falls back to the engine
  }

  async #readEngine(id: string, client: number): Promise<ContainerSample | undefined> {
    return (await this.#engine.ask('stats', { id }, { client })) ?? undefined;
  }
}
