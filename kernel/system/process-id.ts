/** Names of processes as no other one is ever called: a process id alone is given again. */
import { readFileSync } from 'node:fs';

/** This process, as files and rows call it that say whose they are. */
export const PROCESS_ID = nameOf('self') ?? `${process.pid}`;

/** Whether the process that is called so lives. */
export function isRunning(name: string): boolean {
  return nameOf(name.slice(0, name.indexOf(':'))) === name;
}

/** Process id and the clock tick of its start (field 22 of proc(5)); `undefined` when there is none. */
function nameOf(pid: string): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the program's name before may hold anything
    return `${Number.parseInt(stat, 10)}:${fields[19]}`;
  } catch {
    return undefined;
  }
}
