/** The totals of one container since it started, at one moment. */
export interface ContainerSample {
  /** Samples from two sources cannot be compared. */
  readonly source: 'cgroup' | 'engine';
  /** Processor time used so far. */
  readonly cpuNs: number;
  /** A clock of arbitrary origin, read with `cpuNs`. */
  readonly clockNs: number;
  /** Usage without inactive file cache, as the docker CLI shows it. */
  readonly memoryBytes: number;
  readonly limitBytes: number;
  readonly receivedBytes: number;
  readonly sentBytes: number;
  readonly readBytes: number;
  readonly writtenBytes: number;
  readonly pids: number;
}

/** A sample of a container, and the processor use since an earlier one; 100 = one processor all the time. */
export interface ContainerUsage extends ContainerSample {
  readonly id: string;
  readonly cpuPercent: number;
}

/**
 * Returns the processor use between two samples; 0 when no time passed or a counter restarted. The docker CLI divides
 * by the time that all processors spent in any state, times their number, which is the clock in steps of 10 ms.
 */
export function cpuPercent(before: ContainerSample, after: ContainerSample): number {
  const [usedNs, passedNs] = [after.cpuNs - before.cpuNs, after.clockNs - before.clockNs];
  return usedNs > 0 && passedNs > 0 ? (usedNs / passedNs) * 100 : 0;
}

/** Returns usage without inactive file cache, where usage includes that. */
export function withoutCache(usageBytes: number, inactiveFileBytes: number): number {
  return inactiveFileBytes < usageBytes ? usageBytes - inactiveFileBytes : usageBytes;
}
