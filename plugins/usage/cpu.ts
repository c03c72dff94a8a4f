/**
 * Processor time, from `/proc/stat`: one small file that holds exact counters for each core. systeminformation's
 * `currentLoad` asks libuv, which also reads `/proc/cpuinfo` and a frequency file for each core; it knows cores by their
 * place in a list, so that one that goes offline shifts the others; and it keeps one earlier reading for all its callers.
 */
export interface CoreTimes {
  /** Clock ticks since boot: everything but idle and waiting for disks. Guests are part of user time already. */
  readonly busy: number;
  readonly total: number;
}
/** By the number that the system gives the core; cores that are offline are not there. */
export type CpuTimes = ReadonlyMap<number, CoreTimes>;

export interface CpuLoad {
  /** Percent of the time between two readings, in one decimal, as `core_<n>`. */
  readonly cores: Readonly<Record<string, number>>;
  /** Over all cores. */
  readonly percent: number;
}

export function parseStat(text: string): CpuTimes {
  const times = new Map<number, CoreTimes>();
  for (const [, core, columns = ''] of text.matchAll(/^cpu(\d+) +(.+)$/gm)) {
    const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = columns
      .split(' ')
      .map(Number);
    const busy = user + nice + system + irq + softirq + steal;
    times.set(Number(core), { busy, total: busy + idle + iowait });
  }
  if (times.size === 0) throw new Error('no line of a core in /proc/stat');
  return times;
}

/**
 * A core that is in one of the readings only, or whose counters began anew between them, has no load that could be
 * told, and is left out until the next reading.
 */
export function cpuLoad(before: CpuTimes, after: CpuTimes): CpuLoad {
  const cores: Record<string, number> = {};
  let [busyTicks, totalTicks] = [0, 0];
  for (const [core, now] of after) {
    const then = before.get(core);
    if (then === undefined || now.total < then.total || now.busy < then.busy) continue;
    const total = now.total - then.total;
    const busy = Math.min(now.busy - then.busy, total); // the kernel lets the time of waiting run backwards
    cores[`core_${core}`] = percentOf(busy, total);
    busyTicks += busy;
    totalTicks += total;
  }
  return { cores, percent: percentOf(busyTicks, totalTicks) };
}

/** In one decimal; 0 of 0 is 0. */
export function percentOf(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.round((part / whole) * 1000) / 10;
}
