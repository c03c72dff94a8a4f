/** What one container had used at one moment. */
export interface ContainerSample {
  /** Who told: figures of two sources cannot be held against each other. */
  readonly source: 'cgroup' | 'engine';
  /** Processor time that it used so far. */
  readonly cpuNs: number;
  /** A clock, of whatever beginning, read with `cpuNs`. */
  readonly clockNs: number;
  /** Usage without the file cache that is not in use, as the docker CLI shows it. */
  readonly memoryBytes: number;
  readonly limitBytes: number;
  readonly receivedBytes: number;
  readonly sentBytes: number;
  readonly readBytes: number;
  readonly writtenBytes: number;
  readonly pids: number;
}

/** A reading, and the processor time that passed in it since an earlier one; 100 = one processor all the time. */
export interface ContainerUsage extends ContainerSample {
  readonly cpuPercent: number;
}

/**
 * The docker CLI divides by the time that all processors spent in any state, times their number: that is the clock's
 * time, but in steps of 10 ms. 0 where nothing passed, or a counter began anew.
 */
export function cpuPercent(before: ContainerSample, after: ContainerSample): number {
  const [usedNs, passedNs] = [after.cpuNs - before.cpuNs, after.clockNs - before.clockNs];
  return usedNs > 0 && passedNs > 0 ? (usedNs / passedNs) * 100 : 0;
}

/** Usage without inactive file cache, where that is a part of it. */
export function withoutCache(usageBytes: number, inactiveFileBytes: number): number {
  return inactiveFileBytes < usageBytes ? usageBytes - inactiveFileBytes : usageBytes;
}
