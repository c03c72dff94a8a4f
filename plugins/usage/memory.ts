/**
 * Memory, from `/proc/meminfo`, the file that `free` reads; systeminformation's `mem` reads the same one and then mixes
 * it with its own idea of what is used. A container's limit is not in there: it is in the control group's files.
 */
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { percentOf } from './cpu.ts';
import type { Memory } from './schema.ts';

/** Bytes. */
export interface MemorySpace {
  readonly total: number;
  /** What programs can still get, as far as the kernel can tell. */
  readonly available: number;
}

export function parseMeminfo(text: string): MemorySpace {
  const kib = new Map([...text.matchAll(/^(\w+): +(\d+) kB$/gm)].map(([, name = '', value]) => [name, Number(value)]));
  const total = kib.get('MemTotal');
  if (total === undefined) throw new Error('no MemTotal in /proc/meminfo');
  const beforeLinux314 = (kib.get('MemFree') ?? 0) + (kib.get('Buffers') ?? 0) + (kib.get('Cached') ?? 0);
  return { total: total * 1024, available: (kib.get('MemAvailable') ?? beforeLinux314) * 1024 };
}

/** A control group's files, by version: limit, usage, statistics, and the member of these for cache that can be dropped at once. */
const GROUPS = [
  ['memory.max', 'memory.current', 'memory.stat', 'inactive_file'],
  ['memory/memory.limit_in_bytes', 'memory/memory.usage_in_bytes', 'memory/memory.stat', 'total_inactive_file'],
] as const;

/**
 * What a container with a limit has: used is what `docker stats` shows. Without a limit below the machine's memory,
 * the machine's figures.
 */
export function limited(
  machine: MemorySpace,
  group: { limit: string; usage: string; stat: string },
  cacheName: string,
): MemorySpace {
  const limit = Number(group.limit);
  if (!(limit < machine.total)) return machine; // `max` is NaN
  const cache = Number(new RegExp(`^${cacheName} (\\d+)$`, 'm').exec(group.stat)?.[1] ?? 0);
  const used = Math.max(0, Number(group.usage) - cache);
  return { total: limit, available: Math.max(0, Math.min(limit - used, machine.available)) };
}

/**
 * Reads memory. Only the topmost control group that this process can see counts: within a container that is the
 * container's own, on a machine it has no limit, whatever limit the service manager gave to this one service.
 */
export class MemoryReader {
  readonly #meminfo: string;
  readonly #groups: string;
  #group: Promise<(typeof GROUPS)[number] | undefined> | undefined;

  constructor(roots: { readonly proc: string; readonly sys: string }) {
    this.#meminfo = join(roots.proc, 'meminfo');
    this.#groups = join(roots.sys, 'fs/cgroup');
  }

  async read(): Promise<MemorySpace> {
    const machine = parseMeminfo(await readFile(this.#meminfo, 'latin1'));
    const group = await (this.#group ??= this.#findGroup());
    if (group === undefined) return machine;
    const [limit, usage, stat] = await Promise.all(
      group.slice(0, 3).map((name) => readFile(join(this.#groups, name), 'latin1')),
    );
    return limited(machine, { limit: limit ?? '', usage: usage ?? '', stat: stat ?? '' }, group[3]);
  }

  async #findGroup(): Promise<(typeof GROUPS)[number] | undefined> {
    for (const group of GROUPS) {
      const isThere = await access(join(this.#groups, group[0])).then(
        () => true,
        () => false,
      );
      if (isThere) return group;
    }
    return undefined;
  }
}

export function memoryReply({ total, available }: MemorySpace): Memory {
  const used = total - available;
  const percent = percentOf(used, total);
  return {
    human_readable_info: {
      available: gigabytes(available),
      percent: `${percent.toFixed(1)}%`,
      total: gigabytes(total),
      used: gigabytes(used),
    },
    ram_info: { available, percent, total, used },
  };
}

/** `1.23 GB`, a GB being 2^30 bytes. */
function gigabytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(2)} GB`;
}
