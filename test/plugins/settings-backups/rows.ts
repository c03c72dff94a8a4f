import type { PluginRows } from '../../support/plugin-rows.ts';

const NO_BACKUP = 'it needs a backup, whose restoration would get in the way of what is asked later';

const rows: PluginRows = {
  unwalked: { show: NO_BACKUP, restore: NO_BACKUP },
  opened: 'backups',
  answered: 'home',
  isolation: { unmarked: { show: 'whether there are settings, and their size' } },
  without: { backups: { show: 503, restore: 503 } },
  examples: {
    invented: {
      show: { saved: true, size_bytes: 18_472, problem: null },
      restore: {
        ...{ id: 'example', kind: 'restore', path: 'settings', state: 'running', files: 0, size_bytes: 0, left_out: 0 },
        ...{ error: null, detail: null, created_at: '2026-11-25T03:17:00.000Z', ended_at: null },
      },
    },
  },
};
export default rows;
