import type { PluginRows } from '../../support/plugin-rows.ts';

const NONE = 'no account of the demo was removed';
const TASK = {
  ...{ id: '5f8c0a52-7a0e-4a6c-9f43-2f0f6f0c1b7d', kind: 'restore', path: 'jane', state: 'running' },
  ...{ files: 0, size_bytes: 0, left_out: 0, error: null, detail: null },
  ...{ created_at: '2026-11-20T09:30:00.000Z', ended_at: null },
};

const rows: PluginRows = {
  accountTables: {
    removed_account_backups: 'of accounts that are gone',
    removed_account_tasks: 'work on its way',
  },
  unwalked: { restore: NONE, remove: NONE, task: NONE, cancel: NONE },
  answered: 'node',
  bounded: { list: 'at most 1000' },
  without: { backups: { list: 503, remove: 503, task: 503, cancel: 503 } },
  examples: {
    requests: { restore: { password: 'correct horse battery' } },
    invented: {
      list: {
        days: 7,
        accounts: [
          {
            ...{ name: 'jane.7', username: 'jane', plan: 'developer', is_restoring: false, size_bytes: 4_812_905_472 },
            ...{ removed_at: '2026-11-20T09:12:00.000Z', gone_at: '2026-11-27T09:15:00.000Z' },
            backups: [
              {
                ...{ id: '0f5c', created_at: '2026-11-20T03:17:04.000Z', files: 18_412 },
                ...{ size_bytes: 4_931_112_003, databases: 2 },
              },
            ],
          },
        ],
      },
      restore: TASK,
      remove: { name: 'jane.7', removed: true },
      task: TASK,
      cancel: { ...TASK, state: 'canceled', ended_at: '2026-11-20T09:31:00.000Z' },
    },
  },
};
export default rows;
