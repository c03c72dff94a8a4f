import type { PluginRows } from '../../support/plugin-rows.ts';

const NO_REMOTE = 'no place for copies is set';
const TASK = {
  ...{ id: '5f8c0a52-7a0e-4a6c-9f43-2f0f6f0c1b7d', kind: 'copy', path: '', state: 'running' },
  ...{ files: 0, size_bytes: 0, left_out: 0, error: null, detail: null },
  ...{ created_at: '2026-11-20T09:30:00.000Z', ended_at: null },
};

const rows: PluginRows = {
  accountTables: {
    backup_copies: 'about backups, which stay in their repository',
    backup_copy_tasks: 'work on its way',
  },
  unwalked: Object.fromEntries(['copy', 'fetch', 'task', 'cancel'].map((name) => [name, NO_REMOTE])),
  opened: 'backups',
  answered: {
    ...({ own: 'home', list: 'node', stored: 'node' } as const),
    ...({ copy: 'named', fetch: 'named', task: 'named', cancel: 'named' } as const),
  },
  without: {
    backups: { own: 503, list: 503, stored: 503, copy: 503, task: 503, cancel: 503 },
  },
  bounded: { list: 'at most 1000', stored: 'a copy for each account, and for those that are gone some days' },
  isolation: { unmarked: { own: 'times' } },
  pages: { '/console/backup-copies': [] },
  examples: {
    requests: { fetch: { name: 'jane.7.0123456789abcdef' } },
    invented: {
      own: { copied_at: '2026-11-20T04:10:00.000Z', newest_at: '2026-11-20T03:17:00.000Z', backups: 7 },
      list: {
        remote: 'offsite:hostkeep/node1',
        copies: [
          {
            username: 'jane',
            copied_at: '2026-11-20T04:10:00.000Z',
            newest_at: '2026-11-20T03:17:00.000Z',
            backups: 7,
            problem: null,
          },
        ],
      },
      stored: {
        stored: [{ name: 'jane.7.0123456789abcdef', username: 'jane', stored_at: '2026-11-20T04:10:00.000Z' }],
      },
      copy: TASK,
      fetch: { ...TASK, kind: 'fetch', path: 'jane.7.0123456789abcdef' },
      task: TASK,
      cancel: { ...TASK, state: 'canceled', ended_at: '2026-11-20T09:31:00.000Z' },
    },
  },
};
export default rows;
