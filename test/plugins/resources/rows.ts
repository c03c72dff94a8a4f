import type { PluginRows } from '../../support/plugin-rows.ts';

const GIB = 2 ** 30;

const rows: PluginRows = {
  opened: 'resources',
  answered: 'home',
  isolation: { unmarked: { show: 'figures' } },
  examples: {
    invented: {
      show: {
        is_kept: true,
        memory_bytes: 187_904_819,
        memory_limit_bytes: 8 * GIB,
        cpu_percent: 12.4,
        cpu_limit_percent: 400,
        processes: 38,
        processes_limit: 500,
        read_per_second: 1_258_291,
        read_limit_per_second: 100 * 2 ** 20,
        written_per_second: 40_960,
        write_limit_per_second: 0,
      },
    },
  },
  accountTables: { resource_hits: 'counted by the kernel of this machine' },
};
export default rows;
