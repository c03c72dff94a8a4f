import { setTimeout as delay } from 'node:timers/promises';
import type { CgroupReader } from './cgroup-reader.ts';
import type { Container } from '../engine/container.ts';
import type { Engine } from '../engine/engine-client.ts';
import { parseStats } from './engine-stats.ts';
import { count, members } from '../engine/untrusted-json.ts';
import { cpuPercent, type ContainerUsage, type ContainerSample } from './sample.ts';

/** Where a container that was not read lately is read again, to see what passes. */
const FIRST_WINDOW_MS = 100;
/** An earlier reading counts no longer as the one before. */
const PREVIOUS_MS = 10_000;
/** Readings nearer than this tell nothing of what passes. */
const LEAST_WINDOW_MS = FIRST_WINDOW_MS - 10;
/** An account with more containers of its own is not summed up. */
const MOST = 1000;

interface Kept {
  readonly reading: ContainerSample;
  readonly atMs: number;
  /** `undefined` where there was no reading to hold it against. */
  readonly cpuPercent: number | undefined;
}

/** Measures containers of one engine: from the kernel's files where they are to be read, else by asking the engine. */
export class StatsCollector {
  readonly #engine: Engine;
  readonly #cgroups: CgroupReader;
  /** The first process of a container, or that its files turned out not to be readable. */
  readonly #pids = new Map<string, number | 'unreadable'>();
  readonly #kept = new Map<string, Kept>();

  constructor(engine: Engine, cgroups: CgroupReader) {
    this.#engine = engine;
    this.#cgroups = cgroups;
  }

  /** Those that ended meanwhile are left out. Rejects when there is one of which neither the files nor the engine tell. */
  async measure(containers: readonly Container[]): Promise<ContainerUsage[]> {
    if (containers.length > MOST)
      throw new Error(`there are ${containers.length} containers, and at most ${MOST} are measured`);
    const all = await Promise.all(containers.map((container) => this.#measureTwice(container)));
    return all.filter((each) => each !== undefined).map(({ reading, cpuPercent = 0 }) => ({ ...reading, cpuPercent }));
  }

  /** Forgets all containers but these. */
  keepOnly(containers: readonly Container[]): void {
    const ids = new Set(containers.map(({ id }) => id));
    for (const map of [this.#pids, this.#kept]) for (const id of map.keys()) if (!ids.has(id)) map.delete(id);
  }

  /** Once where there is an earlier reading to hold the new one against. */
  async #measureTwice(container: Container): Promise<Kept | undefined> {
    const first = await this.#measure(container);
    if (first === undefined || first.cpuPercent !== undefined) return first;
    await delay(FIRST_WINDOW_MS);
    return this.#measure(container);
  }

  async #measure(container: Container): Promise<Kept | undefined> {
    const reading = await this.#read(container);
    if (reading === undefined) return undefined;
    const atMs = performance.now();
    const before = this.#kept.get(container.id);
    const isUsable =
      before !== undefined && before.reading.source === reading.source && atMs - before.atMs <= PREVIOUS_MS;
    if (isUsable && atMs - before.atMs < LEAST_WINDOW_MS) return { ...before, reading };
    const kept = { reading, atMs, cpuPercent: isUsable ? cpuPercent(before.reading, reading) : undefined };
    this.#kept.set(container.id, kept);
    return kept;
  }

  /** `undefined` when it ended. An account's own engine is not believed which processes are its containers': they could be another's. */
  async #read(container: Container): Promise<ContainerSample | undefined> {
    const { id } = container;
    if (this.#engine.isOwn) return this.#ask(id);
    let reading = await this.#readFiles(container);
    if (reading === 'gone') {
      const pid = (await this.#cgroups.firstProcess(container)) ?? (await this.#inspect(id)); // not known yet, or it began anew, or ended
      if (pid === undefined) return undefined;
      this.#pids.set(id, pid);
      reading = await this.#readFiles(container);
    }
    if (typeof reading === 'object') return reading;
    const asked = await this.#ask(id);
    if (asked !== undefined) this.#pids.set(id, 'unreadable');
    return asked;
  }

  async #readFiles(container: Container): Promise<ContainerSample | 'gone' | 'unreadable'> {
    const pid = this.#pids.get(container.id) ?? 'gone';
    if (typeof pid === 'string') return pid;
    return this.#cgroups.read(container, pid).catch(() => 'unreadable' as const); // the engine is asked instead
  }

  /** The first process of a container, `undefined` when it does not run. */
  async #inspect(id: string): Promise<number | undefined> {
    const { status, body } = await this.#engine.get(`/containers/${id}/json`);
    if (status === 404) return undefined;
    if (status !== 200) throw new Error(`the engine answers a question for the container ${id} with ${status}`);
    return count(members(members(body)['State'])['Pid']) || undefined;
  }

  async #ask(id: string): Promise<ContainerSample | undefined> {
    const { status, body } = await this.#engine.get(`/containers/${id}/stats`, {
      query: { stream: 'false', 'one-shot': 'true' },
    });
    if (status === 404 || status === 409) return undefined;
    if (status !== 200)
      throw new Error(`the engine answers a question for the statistics of the container ${id} with ${status}`);
    return parseStats(body);
  }
}
