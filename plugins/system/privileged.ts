import { definePrivileged } from '../../kernel/contract/privileged.ts';
import type { SystemReport } from '../../kernel/areas/machine.ts';
import { ProcessTable } from './readers/process-table.ts';
import { UserLoads, type UserLoad } from './readers/user-loads.ts';
import { SystemConfig } from './schema.ts';

export interface SystemVerbs {
  /** Resolves with the busiest processes of the host. */
  processes(nothing: null): Promise<SystemReport['processes']>;
  /** Resolves with what the processes of each user take; with `null` where they are hidden also from the broker. */
  users(nothing: null): Promise<readonly UserLoad[] | null>;
}

/** Lists processes, which the service does not see where the system hides those of others. */
export default definePrivileged<SystemVerbs>()({
  name: 'system',
  config: SystemConfig,
  verbs: ['processes', 'users'],
  timeoutMs: 10_000,
  open: ({ config }) => {
    const table = new ProcessTable(config.roots.proc);
    const loads = new UserLoads(config.roots.proc);
    return { processes: () => table.read(), users: () => loads.read() };
  },
});
