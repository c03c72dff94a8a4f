import type { Finding } from '../../kernel/contract/points/finding.ts';
import { errorMessage } from '../../kernel/errors.ts';
import type { ResourcesVerbs } from './privileged.ts';

const KEPT = { memory: 'memory', cpu: 'processor time', pids: 'the number of processes' };
const DISK_REMEDY = 'to limit disk traffic, have the files of accounts on a file system with a disk of its own';

/** Says which limits of plans the kernel keeps for all processes of an account together. */
export async function findings(verbs: ResourcesVerbs): Promise<Finding[]> {
  const name = 'limits of accounts';
  const remedy =
    'run the package on a system with systemd 254 and cgroup v2 alone, and restart the broker; until then each process is limited by itself';
  try {
    const { problem, controllers, diskProblem, groups } = await verbs.figures(null);
    if (problem !== null)
      return [{ name, ok: false, isWarning: true, detail: `nothing limits an account: ${problem}`, remedy }];
    const missing = Object.entries(KEPT)
      .filter(([each]) => !controllers.includes(each))
      .map(([, what]) => what);
    const disk = controllers.includes('io')
      ? ''
      : `disk traffic, because ${diskProblem ?? 'its controller is missing'}`;
    const isMissed = disk !== '' && (await verbs.kept(null)).some(({ readMib, writeMib }) => readMib + writeMib > 0);
    if (isMissed) missing.push(disk);
    const kept = `kept by control groups, of which there are ${groups.length} now`;
    if (missing.length === 0)
      return [{ name, ok: true, detail: disk === '' ? kept : `${kept}; no plan limits what could not be: ${disk}` }];
    const detail = `the kernel does not limit this for accounts: ${missing.join(', ')}`;
    return [{ name, ok: false, isWarning: true, detail, remedy: isMissed ? `${remedy}; ${DISK_REMEDY}` : remedy }];
  } catch (error) {
    return [{ name, ok: false, isWarning: true, detail: errorMessage(error), remedy: 'see that the broker answers' }];
  }
}
