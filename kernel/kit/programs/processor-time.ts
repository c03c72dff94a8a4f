import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Whether a process runs or waits for a processor, and how much processor time it took. */
export interface ProcessorTime {
  readonly isRunning: boolean;
  /** Processor time of the process and of the programs that it ran. */
  readonly seconds: number;
}

/** Returns what the system says of a process, see proc(5). One that has ended is not running, and took no time. */
export function readProcessorTime(pid: number | undefined): ProcessorTime {
  try {
    // the job may compute in any of its threads, one of which may end just now
    const isRunning = readdirSync(`/proc/${pid}/task`).some((thread) => isThreadRunning(`${pid}/task/${thread}`));
    return { isRunning, seconds: processorSeconds(pid) };
  } catch {
    // it has ended
    return { isRunning: false, seconds: 0 };
  }
}

/** Returns the processor time of a process. Throws for one that has ended. */
export function processorSeconds(pid: number | 'self' | undefined): number {
  const ticks = readStatus(`${pid}`)
    .slice(11, 15)
    .reduce((sum, each) => sum + Number(each), 0);
  return ticks / TICKS_PER_SECOND;
}

function isThreadRunning(name: string): boolean {
  try {
    return readStatus(name)[0] === 'R';
  } catch {
    // it has ended
    return false;
  }
}

/** Returns the fields from the state on. */
function readStatus(name: string): string[] {
  const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
