import { readFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { FairQueue } from '../../../kernel/kit/waiting/fair-queue.ts';
import type { Container } from '../engine/container.ts';
import { parseBlkio, parseCgroupPaths, parseIoStat, parseNetwork, readValue } from './cgroup-files.ts';
import { firstProcess } from './first-process.ts';
import { withoutCache, type ContainerSample } from './sample.ts';

/** Each read occupies a thread of Node's pool, which other work needs too. */
const READS_AT_ONCE = 8;
/** Of them, those for one account. */
const PER_CLIENT = 6;

type CgroupSample = Omit<ContainerSample, 'source' | 'receivedBytes' | 'sentBytes'>;

/**
 * Samples containers from the Linux kernel's files: control groups of version 1 and 2, and network counters. Costs the
 * engine nothing.
 */
export class CgroupReader {
  readonly #root: string;
  readonly #hostMemoryBytes: number;
  readonly #queue = new FairQueue({ slots: READS_AT_ONCE, perClient: PER_CLIENT });

  /** Tests set `root`, the folder that holds `proc` and `sys`. */
  constructor(root = '/', hostMemoryBytes = totalmem()) {
    this.#root = root;
    this.#hostMemoryBytes = hostMemoryBytes;
  }

  /** The version of control groups that is readable here. */
  async version(): Promise<1 | 2 | undefined> {
    const isThere = (path: string) =>
      this.#text(`sys/fs/cgroup/${path}`).then(
        () => true,
        () => false,
      );
    if (await isThere('cgroup.controllers')) return 2;
    return (await isThere('memory/memory.usage_in_bytes')) ? 1 : undefined;
  }

  /** `client` is the account. Returns `gone` when the process no longer belongs to the container; rejects when a file cannot be read. */
  read(container: Container, pid: number, client: number): Promise<ContainerSample | 'gone'> {
    return this.#queue.run(client, () => this.#read(container, pid));
  }

  /** Finds a container's first process without the engine; `undefined` when the files do not show it. */
  firstProcess({ id }: Container, client: number): Promise<number | undefined> {
    return this.#queue.run(client, () => firstProcess(id, (path) => this.#text(path)));
  }

  async #read(container: Container, pid: number): Promise<ContainerSample | 'gone'> {
    const cgroup = parseCgroupPaths(await this.#text(`proc/${pid}/cgroup`).catch(() => ''), container.id);
    if (cgroup === undefined) return 'gone';
    const hasNetwork = container.networkMode !== 'host'; // a host network's counters are the whole host's
    const [group, network] = await Promise.all([
      cgroup.version === 2 ? this.#version2(cgroup.path) : this.#version1(cgroup.paths),
      hasNetwork ? this.#text(`proc/${pid}/net/dev`).then(parseNetwork) : { receivedBytes: 0, sentBytes: 0 },
    ]);
    return { source: 'cgroup', ...group, ...network };
  }

  async #version1(paths: ReadonlyMap<string, string>): Promise<CgroupSample> {
    const file = async (controller: string, name: string) => {
      const path = paths.get(controller);
      if (path === undefined)
        throw Object.assign(new Error(`the container is in no group of ${controller}`), { code: 'ENOENT' });
      return this.#text(`sys/fs/cgroup/${controller}/${path}/${name}`);
    };
    const cpu = file('cpuacct', 'cpuacct.usage').then((text) => ({ cpuNs: Number(text), clockNs: clockNs() }));
    const [used, usage, stat, limit, pids, io] = await Promise.all([
      cpu,
      file('memory', 'memory.usage_in_bytes'),
      file('memory', 'memory.stat'),
      file('memory', 'memory.limit_in_bytes'),
      file('pids', 'pids.current'),
      this.#blkio((name) => file('blkio', name)),
    ]);
    return {
      ...used,
      ...this.#memory(usage, readValue(stat, 'total_inactive_file'), limit),
      pids: Number(pids),
      ...io,
    };
  }

  async #version2(path: string): Promise<CgroupSample> {
    const file = (name: string) => this.#text(`sys/fs/cgroup/${path}/${name}`);
    const cpu = file('cpu.stat').then((text) => ({ cpuNs: readValue(text, 'usage_usec') * 1000, clockNs: clockNs() }));
    const [used, usage, stat, limit, pids, io] = await Promise.all([
      cpu,
      file('memory.current'),
      file('memory.stat'),
      file('memory.max'),
      file('pids.current'),
      emptyIfMissing(file('io.stat')),
    ]);
    return {
      ...used,
      ...this.#memory(usage, readValue(stat, 'inactive_file'), limit),
      pids: Number(pids),
      ...parseIoStat(io),
    };
  }

  /** Prefers the I/O schedulers' figures to the throttle's, as containerd does. */
  async #blkio(file: (name: string) => Promise<string>): Promise<{ readBytes: number; writtenBytes: number }> {
    const scheduled = parseBlkio(await emptyIfMissing(file('blkio.io_service_bytes_recursive')));
    return scheduled.readBytes + scheduled.writtenBytes > 0
      ? scheduled
      : parseBlkio(await emptyIfMissing(file('blkio.throttle.io_service_bytes')));
  }

  /** Without a limit, or with one beyond it, the limit is the host's memory. */
  #memory(usage: string, inactiveFileBytes: number, limit: string): { memoryBytes: number; limitBytes: number } {
    const limitBytes = Number(limit); // NaN for "max"
    return {
      memoryBytes: withoutCache(Number(usage), inactiveFileBytes),
      limitBytes: limitBytes > 0 && limitBytes < this.#hostMemoryBytes ? limitBytes : this.#hostMemoryBytes,
    };
  }

  #text(path: string): Promise<string> {
    return readFile(join(this.#root, path), 'utf8');
  }
}

/** The I/O controller may be disabled, and its files missing. */
function emptyIfMissing(file: Promise<string>): Promise<string> {
  return file.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
}

function clockNs(): number {
  return performance.now() * 1e6;
}
