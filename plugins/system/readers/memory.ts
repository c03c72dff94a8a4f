/**
 * Memory from `/proc/meminfo`, the file that `free` reads; systeminformation's `mem` reads it too, but computes the
 * used part in its own way. A container's limit is not in this file but in those of its control group.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isReachable } from '../../../kernel/kit/files/if-missing.ts';
import { readValue, withoutCache } from '../../../kernel/kit/engine/container-groups.ts';
import type { MemorySpace } from '../../../kernel/areas/machine.ts';

export function parseMeminfo(text: string): MemorySpace {
  const kib = new Map([...text.matchAll(/^(\w+): +(\d+) kB$/gm)].map(([, name = '', value]) => [name, Number(value)]));
  const total = kib.get('MemTotal');
  if (total === undefined) throw new Error('/proc/meminfo has no MemTotal');
  const beforeLinux314 = (kib.get('MemFree') ?? 0) + (kib.get('Buffers') ?? 0) + (kib.get('Cached') ?? 0);
  return { total: total * 1024, available: (kib.get('MemAvailable') ?? beforeLinux314) * 1024 };
}

/** Files of a control group by version: limit, usage, statistics, and the statistic for reclaimable cache. */
const GROUPS = [
  ['memory.max', 'memory.current', 'memory.stat', 'inactive_file'],
  ['memory/memory.limit_in_bytes', 'memory/memory.usage_in_bytes', 'memory/memory.stat', 'total_inactive_file'],
] as const;

/**
 * Returns the memory of a container with a limit, its used part as `docker stats` shows it; the machine's memory where
 * the limit is not below that.
 */
export function limited(
  machine: MemorySpace,
  group: { limit: string; usage: string; stat: string },
  cacheName: string,
): MemorySpace {
  const limit = Number(group.limit);
  if (!(limit < machine.total)) return machine; // `max` is NaN
  const used = withoutCache(Number(group.usage), readValue(group.stat, cacheName));
  return { total: limit, available: Math.max(0, Math.min(limit - used, machine.available)) };
}

/**
 * Reads memory, limited by the topmost control group that is visible: in a container that is the container's own; on a
 * machine it has no limit, even if the service manager limits this service.
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
    for (const group of GROUPS) if (await isReachable(join(this.#groups, group[0]))) return group;
    return undefined;
  }
}
