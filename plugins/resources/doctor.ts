import type { Finding } from '../../kernel/contract/points/finding.ts';
import { errorMessage } from '../../kernel/errors.ts';
import type { ResourcesVerbs } from './privileged.ts';

const KEPT = { memory: 'memory', cpu: 'processor time', pids: 'the number of processes' } as const;

/** Says which limits of plans the kernel keeps for all processes of an account together. */
export async function findings(verbs: ResourcesVerbs): Promise<Finding[]> {
  const name = 'limits of accounts';
  const remedy =
    'run the package on a system with systemd 254 and cgroup v2 alone, and restart the broker; until then each process is limited by itself';
  try {
    const { problem, controllers, groups } = await verbs.figures(null);
    const missing = Object.entries(KEPT)
      .filter(([each]) => !controllers.includes(each))
      .map(([, what]) => what);
    if (problem !== null)
      return [{ name, ok: false, isWarning: true, detail: `nothing limits an account: ${problem}`, remedy }];
    const detailOfKept = `kept by control groups, of which there are ${groups.length} now; disk traffic has no limit`;
    if (missing.length === 0) return [{ name, ok: true, detail: detailOfKept }];
    const detail = `the kernel does not limit this for accounts: ${missing.join(', ')}`;
    return [{ name, ok: false, isWarning: true, detail, remedy }];
  } catch (error) {
    return [{ name, ok: false, isWarning: true, detail: errorMessage(error), remedy: 'see that the broker answers' }];
  }
}
