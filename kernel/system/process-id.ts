/** Process identity: PID plus start time, unique even if the PID is reused. */
import { readFileSync } from 'node:fs';

/** The identity of this process, for files and rows that say which process owns them. */
export const PROCESS_ID = idOf('self') ?? `${process.pid}`;

/** Whether the process with this identity is still running. */
export function isRunning(id: string): boolean {
  return idOf(id.slice(0, id.indexOf(':'))) === id;
}

/** `<pid>:<start>`, where the start is in clock ticks since boot (field 22 of proc(5)); `undefined` for a process that does not exist. */
function idOf(pid: string): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the program's name before may hold anything
    return `${Number.parseInt(stat, 10)}:${fields[19]}`;
  } catch {
    return undefined;
  }
}
