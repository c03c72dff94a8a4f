/**
 * Reads what a container uses from the files of the Linux kernel: control groups of version 1 and 2, and the counters of
 * its network. Costs the engine nothing.
 */
import { readFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import type { Container } from '../engine/container.ts';
import { firstProcess } from './first-process.ts';
import { withoutCache, type ContainerSample } from './sample.ts';
import { Semaphore } from '../../../kernel/concurrency/semaphore.ts';

/** Reading many files keeps threads busy that others wait for. */
const AT_ONCE = 8;

/** Where a process is in the hierarchies: one path of version 2, or one for each controller of version 1. */
export type Place =
  { readonly version: 2; readonly path: string } | { readonly version: 1; readonly paths: ReadonlyMap<string, string> };

type Group = Omit<ContainerSample, 'source' | 'receivedBytes' | 'sentBytes'>;

/** Reads below `root`, which is `/` but for tests. */
export class CgroupReader {
  readonly #root: string;
  readonly #hostMemoryBytes: number;
  readonly #slots = new Semaphore(AT_ONCE);

  constructor(root = '/', hostMemoryBytes = totalmem()) {
    this.#root = root;
    this.#hostMemoryBytes = hostMemoryBytes;
  }

  /** The version of control groups that can be read here, for a person. */
  async version(): Promise<1 | 2 | undefined> {
    const isThere = (path: string) =>
      this.#text(`sys/fs/cgroup/${path}`).then(
        () => true,
        () => false,
      );
    if (await isThere('cgroup.controllers')) return 2;
    return (await isThere('memory/memory.usage_in_bytes')) ? 1 : undefined;
  }

  /** `gone` when the process is not one of the container's any more; rejects where a file cannot be read. */
  read(container: Container, pid: number): Promise<ContainerSample | 'gone'> {
    return this.#slots.run(() => this.#read(container, pid));
  }

  /** The first process of a container, without a question to its engine; `undefined` where the files do not tell it. */
  firstProcess({ id }: Container): Promise<number | undefined> {
    return this.#slots.run(() => firstProcess(id, (path) => this.#text(path)));
  }

  async #read(container: Container, pid: number): Promise<ContainerSample | 'gone'> {
    const place = parsePlace(await this.#text(`proc/${pid}/cgroup`).catch(() => ''), container.id);
    if (place === undefined) return 'gone';
    const hasNetwork = container.networkMode !== 'host'; // whose counters are those of the whole host
    const [group, network] = await Promise.all([
      place.version === 2 ? this.#version2(place.path) : this.#version1(place.paths),
      hasNetwork ? this.#text(`proc/${pid}/net/dev`).then(parseNetwork) : { receivedBytes: 0, sentBytes: 0 },
    ]);
    return { source: 'cgroup', ...group, ...network };
  }

  async #version1(paths: ReadonlyMap<string, string>): Promise<Group> {
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
    return { ...used, ...this.#memory(usage, valueOf(stat, 'total_inactive_file'), limit), pids: Number(pids), ...io };
  }

  async #version2(path: string): Promise<Group> {
    const file = (name: string) => this.#text(`sys/fs/cgroup/${path}/${name}`);
    const cpu = file('cpu.stat').then((text) => ({ cpuNs: valueOf(text, 'usage_usec') * 1000, clockNs: clockNs() }));
    const [used, usage, stat, limit, pids, io] = await Promise.all([
      cpu,
      file('memory.current'),
      file('memory.stat'),
      file('memory.max'),
      file('pids.current'),
      ifThere(file('io.stat')),
    ]);
    return {
      ...used,
      ...this.#memory(usage, valueOf(stat, 'inactive_file'), limit),
      pids: Number(pids),
      ...parseIoStat(io),
    };
  }

  /** As containerd does: the figures of the disks' schedulers, and where these have none, those of the throttle. */
  async #blkio(file: (name: string) => Promise<string>): Promise<{ readBytes: number; writtenBytes: number }> {
    const scheduled = parseBlkio(await ifThere(file('blkio.io_service_bytes_recursive')));
    return scheduled.readBytes + scheduled.writtenBytes > 0
      ? scheduled
      : parseBlkio(await ifThere(file('blkio.throttle.io_service_bytes')));
  }

  /** A limit that is none, or more than there is, is the memory of the host. */
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

/**
 * The container's group from `/proc/<pid>/cgroup`, whose lines are `<hierarchy>:<controllers>:<path>`. A process may
 * have moved to a group below it. `undefined` when the process is in none of that id, or outside of what we see.
 */
export function parsePlace(text: string, id: string): Place | undefined {
  const paths = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, controllers, path = ''] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    const names = path.split('/');
    const end = names.findIndex((name) => name.includes(id));
    if (controllers === undefined || end < 0 || names.includes('..')) continue;
    for (const controller of controllers.split(',')) paths.set(controller, names.slice(0, end + 1).join('/'));
  }
  if (paths.has('memory')) return { version: 1, paths };
  const path = paths.get('');
  return path === undefined ? undefined : { version: 2, path };
}

/** Sums over the interfaces of `/proc/<pid>/net/dev` but the loopback one. */
export function parseNetwork(text: string): { receivedBytes: number; sentBytes: number } {
  let [receivedBytes, sentBytes] = [0, 0];
  for (const [, name, counters = ''] of text.matchAll(/^\s*([^\s:]+):\s*(.*)$/gm)) {
    if (name === 'lo') continue;
    const fields = counters.split(/\s+/);
    receivedBytes += Number(fields[0]);
    sentBytes += Number(fields[8]);
  }
  return { receivedBytes, sentBytes };
}

/** Sums over the devices of a version 1 file with lines like `8:0 Read 4096`. */
export function parseBlkio(text: string): { readBytes: number; writtenBytes: number } {
  return { readBytes: sum(text, /^\d+:\d+ Read (\d+)$/gm), writtenBytes: sum(text, /^\d+:\d+ Write (\d+)$/gm) };
}

/** Sums over the devices of `io.stat`, whose lines are like `8:0 rbytes=4096 wbytes=0 rios=1 …`. */
export function parseIoStat(text: string): { readBytes: number; writtenBytes: number } {
  return { readBytes: sum(text, /\brbytes=(\d+)/g), writtenBytes: sum(text, /\bwbytes=(\d+)/g) };
}

/** The number beside a name in a file of lines `<name> <number>`; 0 where it is not. */
export function valueOf(text: string, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}

function sum(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].reduce((total, match) => total + Number(match[1]), 0);
}

/** A controller for disks need not be switched on; then there is nothing to count. */
function ifThere(file: Promise<string>): Promise<string> {
  return file.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
}

function clockNs(): number {
  return performance.now() * 1e6;
}
