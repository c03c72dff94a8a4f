/**
 * Processor time from `/proc/stat`: one small file with exact counters for each core. systeminformation's `currentLoad`
 * calls libuv, which also reads `/proc/cpuinfo` and a frequency file for each core. It identifies cores by their
 * position in a list, so that one going offline shifts the others, and all its callers share one earlier reading.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toPercent } from '../../../kernel/kit/format.ts';
import type { CpuLoad } from '../../../kernel/areas/machine.ts';

interface CoreTimes {
  /** Clock ticks since boot, without idle and I/O wait. User time already includes guests. */
  readonly busy: number;
  readonly total: number;
}
/** By core number; offline cores are missing. */
export type CpuTimes = ReadonlyMap<number, CoreTimes>;

export function cpuReader(procRoot: string): () => Promise<CpuTimes> {
  const file = join(procRoot, 'stat');
  return async () => parseStat(await readFile(file, 'latin1'));
}

/** Returns a meter: each call resolves with the load since the one before, the first with that since it was opened. */
export function openCpuMeter(procRoot: string): () => Promise<CpuLoad> {
  const read = cpuReader(procRoot);
  let last = read();
  void last.catch(() => undefined); // the first call rejects with it
  return async () => {
    const [before, now] = [last, read()];
    await Promise.allSettled([now]);
    last = now;
    return cpuLoad(await before, await now);
  };
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
  if (times.size === 0) throw new Error('/proc/stat has no line for a core');
  return times;
}

/** Leaves out a core that is missing from one of the readings, or whose counters were reset between them. */
export function cpuLoad(before: CpuTimes, after: CpuTimes): CpuLoad {
  const cores: Record<string, number> = {};
  let [busyTicks, totalTicks] = [0, 0];
  for (const [core, now] of after) {
    const then = before.get(core);
    if (then === undefined || now.total < then.total || now.busy < then.busy) continue;
    const total = now.total - then.total;
    const busy = Math.min(now.busy - then.busy, total); // I/O wait can decrease, see proc(5)
    cores[`core_${core}`] = toPercent(busy, total);
    busyTicks += busy;
    totalTicks += total;
  }
  return { cores, percent: toPercent(busyTicks, totalTicks) };
}
