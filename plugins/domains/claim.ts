/** Whose turn it is: a pending row names its process, so that only those of processes that are gone are repaired. */
import { readFileSync } from 'node:fs';

/** This process as no other one is called: its id, and the clock tick at which it started. */
export const CLAIM = claimOf('self') ?? `${process.pid}`;

export function isAlive(claim: string): boolean {
  return claimOf(claim.slice(0, claim.indexOf(':'))) === claim;
}

function claimOf(pid: string): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name before may hold anything
    return `${Number.parseInt(stat, 10)}:${fields[19]}`; // field 22 of proc(5), starttime
  } catch {
    return undefined;
  }
}
