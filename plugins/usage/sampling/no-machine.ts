import { fail } from '../../../kernel/errors.ts';
import type { Machine } from '../../../kernel/areas/machine.ts';

/** Stands for the plugin that reads the machine while it is off or unavailable. Errors: 503 `feature_unavailable`. */
const unread = (): Promise<never> =>
  Promise.reject(fail.feature_unavailable('the plugin system, which reads this machine, is off or unavailable'));

export const NO_MACHINE: Pick<Machine, 'cpuMeter' | 'memory' | 'disks' | 'report'> = {
  cpuMeter: () => unread,
  memory: unread,
  disks: unread,
  report: unread,
};
