import { containerGroups } from '../../../kernel/kit/engine/container-groups.ts';

/** The hierarchy of version 2, and one of version 1 in which every container has a group. */
const HIERARCHIES = ['', 'memory/'];
/** A container's first process nearly always has the lowest id in its group. */
const CANDIDATES = 4;

/**
 * Finds a container's first process in the kernel's files, because asking the engine for it costs the engine more than
 * a whole sample. `read` takes paths relative to `/`. Returns `undefined` for a group elsewhere, and for a container
 * without a PID namespace of its own.
 */
export async function firstProcess(id: string, read: (path: string) => Promise<string>): Promise<number | undefined> {
  const folders = containerGroups(id).flatMap((group) => HIERARCHIES.map((hierarchy) => `${hierarchy}${group}`));
  for (const folder of folders) {
    const processes = await read(`sys/fs/cgroup/${folder}/cgroup.procs`).catch(() => undefined); // in another one then
    if (processes !== undefined) return firstOf(processes, read);
  }
  return undefined;
}

async function firstOf(processes: string, read: (path: string) => Promise<string>): Promise<number | undefined> {
  const pids = processes
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 0)
    .toSorted((a, b) => a - b);
  for (const pid of pids.slice(0, CANDIDATES)) {
    const status = await read(`proc/${pid}/status`).catch(() => ''); // it has ended
    if (isFirst(status)) return pid;
  }
  return undefined;
}

/** Whether the process is number 1 in the PID namespace directly below ours; deeper ones are of nested containers. */
const isFirst = (status: string): boolean => /^NSpid:\t\d+\t1$/m.test(status);
