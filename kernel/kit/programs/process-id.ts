/** Process identity: PID plus start time, unique even if the PID is reused. */
import { readFileSync } from 'node:fs';

/** The identity of this process, for files and rows that name the process that owns them. */
export const PROCESS_ID = identify('self') ?? `${process.pid}`;

/** Returns whether the process with this identity is still running. */
export function isRunning(id: string): boolean {
  return identify(id.slice(0, id.indexOf(':'))) === id;
}

/**
 * Returns `<pid>:<start>`, with the start in clock ticks since boot (field 22 of /proc/<pid>/stat, see proc(5));
 * `undefined` if there is no such process, or only its exit code.
 */
export function identify(pid: number | string): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // skips the program's name, which may hold spaces
    return fields[0] === 'Z' ? undefined : `${Number.parseInt(stat, 10)}:${fields[19]}`;
  } catch {
    // it has ended
    return undefined;
  }
}
