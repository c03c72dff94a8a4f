import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** What a process does, and how much it did. */
export interface ProcessorTime {
  readonly isRunning: boolean;
  /** Processor time of the process and of the programs that it ran. */
  readonly seconds: number;
}

/** Reads it from the system, see proc(5). An ended process does not run. */
export function processorTimeOf(pid: number | undefined): ProcessorTime {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0);
    return { isRunning: fields[0] === 'R', seconds: ticks / TICKS_PER_SECOND };
  } catch {
    return { isRunning: false, seconds: 0 };
  }
}
