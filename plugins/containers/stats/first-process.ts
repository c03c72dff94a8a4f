/** Where the kernel's files tell which process a container began with: asking the engine for that costs it more than all figures together. */

/** Groups in which Docker and Podman put a container unless they are told otherwise, by themselves and through systemd. */
const GROUPS = (id: string): string[] => [
  `docker/${id}`,
  `system.slice/docker-${id}.scope`,
  `machine.slice/libpod-${id}.scope`,
  `libpod_parent/libpod-${id}`,
];
/** The folder of version 2, and of version 1 that of a controller which every container has. */
const HIERARCHIES = ['', 'memory/'];
/** The first process has nearly always the lowest id of its group. */
const LOOKED_AT = 4;

/** Reads files below `/`; `undefined` where the group is somewhere else, or its first process has no process ids of its own. */
export async function firstProcess(id: string, read: (path: string) => Promise<string>): Promise<number | undefined> {
  for (const group of GROUPS(id)) {
    for (const hierarchy of HIERARCHIES) {
      const processes = await read(`sys/fs/cgroup/${hierarchy}${group}/cgroup.procs`).catch(() => undefined);
      if (processes !== undefined) return firstOf(processes, read);
    }
  }
  return undefined;
}

async function firstOf(processes: string, read: (path: string) => Promise<string>): Promise<number | undefined> {
  const pids = processes
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 0)
    .toSorted((a, b) => a - b);
  for (const pid of pids.slice(0, LOOKED_AT)) {
    const status = await read(`proc/${pid}/status`).catch(() => '');
    if (isFirst(status)) return pid;
  }
  return undefined;
}

/** Number 1 in the namespace of processes that is just below ours; one further below is of a container in the container. */
function isFirst(status: string): boolean {
  return /^NSpid:\t\d+\t1$/m.test(status);
}
