import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = {
  answered: { list: 'node' },
  without: { backups: { list: 503 }, 'backup-checks': {} },
  pages: { '/console/account-backups': [] },
  examples: {
    invented: {
      list: {
        accounts: [
          {
            ...{ username: 'jane', state: 'good', schedule: 'daily', is_by_plan: true },
            ...{
              newest_at: '2026-11-25T03:17:04.000Z',
              kept: 14,
              size_bytes: 4_812_905_472,
              limit_bytes: 10_737_418_240,
            },
            ...{ tried_at: '2026-11-25T03:19:40.000Z', problem: null },
            ...{ checked_at: '2026-11-22T09:30:00.000Z', check_problem: null },
          },
        ],
        total: 1,
        troubled: 0,
        next_cursor: null,
      },
    },
  },
};
export default rows;
