import { definePrivileged } from '../../kernel/contract/privileged.ts';
import { UsageConfig } from './schema.ts';
import { ProcessTable } from './system/process-table.ts';
import type { SystemReport } from './system/report.ts';

export interface UsageVerbs {
  /** Resolves with the busiest processes of the host. */
  processes(nothing: null): Promise<SystemReport['processes']>;
}

/** Lists processes, which the service does not see where the system hides those of others. */
export default definePrivileged<UsageVerbs>()({
  name: 'usage',
  config: UsageConfig,
  verbs: ['processes'],
  timeoutMs: 10_000,
  open: ({ config }) => {
    const table = new ProcessTable(config.roots.proc);
    return { processes: () => table.read() };
  },
});
