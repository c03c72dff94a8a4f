import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Whether a process is running, and how much processor time it took. */
export interface ProcessorTime {
  readonly isRunning: boolean;
  /** Processor time of the process and of the programs that it ran. */
  readonly seconds: number;
}

/** Returns what the system says of a process, see proc(5). One that has ended is not running, and took no time. */
export function readProcessorTime(pid: number | undefined): ProcessorTime {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0);
    return { isRunning: fields[0] === 'R', seconds: ticks / TICKS_PER_SECOND };
  } catch {
    return { isRunning: false, seconds: 0 };
  }
}
