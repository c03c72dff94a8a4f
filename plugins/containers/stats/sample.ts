import type { FiguresSample } from '../../../kernel/areas/containers.ts';

/** A sample of a container, and the processor use since an earlier one. */
export interface ContainerUsage extends ContainerSample, Figures {}
type Figures = FiguresSample['containers'][number];

/** The totals of one container since it started, at one moment. */
export interface ContainerSample extends Omit<Figures, 'id' | 'cpuPercent'> {
  /** Samples from two sources cannot be compared. */
  readonly source: 'cgroup' | 'engine';
  /** Processor time used so far. */
  readonly cpuNs: number;
  /** A clock of arbitrary origin, read with `cpuNs`. */
  readonly clockNs: number;
}

/**
 * Returns the processor use between two samples; 0 when no time passed or a counter restarted. The docker CLI divides
 * by the time that all processors spent in any state, times their number, which is the clock in steps of 10 ms.
 */
export function cpuPercent(before: ContainerSample, after: ContainerSample): number {
  const [usedNs, passedNs] = [after.cpuNs - before.cpuNs, after.clockNs - before.clockNs];
  return usedNs > 0 && passedNs > 0 ? (usedNs / passedNs) * 100 : 0;
}
