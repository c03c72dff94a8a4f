/** Control groups as the broker of the package has them, for a bench that runs without systemd. */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MOUNT = '/sys/fs/cgroup';
const PERIOD_US = 100_000;
/** Whether the system has unified groups; before them, each controller has a tree of its own. */
const IS_UNIFIED = existsSync(join(MOUNT, 'cgroup.controllers'));

export interface AccountGroup {
  /** Removes it, once all that ran in it has ended. */
  remove(): void;
}

/** Has processes, and what they start from now on, share so much processor time, in percent of one core. */
export function groupOfProcesses(name: string, pids: readonly number[], cpuPercent: number): AccountGroup {
  const tree = IS_UNIFIED ? MOUNT : join(MOUNT, 'cpu');
  if (IS_UNIFIED) writeFileSync(join(tree, 'cgroup.subtree_control'), '+cpu');
  const folder = join(tree, `hostkeep-bench-${process.pid}-${name}`);
  mkdirSync(folder);
  const quota = (cpuPercent * PERIOD_US) / 100;
  if (IS_UNIFIED) writeFileSync(join(folder, 'cpu.max'), `${quota} ${PERIOD_US}`);
  else writeFileSync(join(folder, 'cpu.cfs_quota_us'), `${quota}`);
  for (const pid of pids) writeFileSync(join(folder, 'cgroup.procs'), `${pid}`);
  return { remove: () => rmdirSync(folder) };
}
