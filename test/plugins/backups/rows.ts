import type { PluginRows, Walked } from '../../support/plugin-rows.ts';
import { eventually, until } from '../../support/until.ts';

let [task, backup] = ['', ''];
const NAMES = [
  'list',
  'make',
  'entries',
  'read',
  'restore',
  'remove',
  'setSchedule',
  'tasks',
  'taskStream',
  'task',
  'cancel',
];
const DATABASES = ['databases', 'dump', 'restoreDatabase'];
const NO_DATABASE = 'without servers of databases, no backup has one';

/** Resolves with the id of the newest backup, once one was made. */
async function made({ server, people }: Walked): Promise<string> {
  const token = await server.token(people.demo);
  const { backups } = await eventually(
    'a backup was made',
    async () => (await server.ask<{ backups: { id: string }[] }>('/api/backups', { token })).body,
    ({ backups: all }) => all.length > 0,
  );
  return (backup = backups[0]?.id ?? '');
}

/** Waits for the end of all that runs. */
async function ended({ server, people }: Walked): Promise<void> {
  const token = await server.token(people.demo);
  const read = () => server.ask<{ tasks: { state: string }[] }>('/api/backup-tasks', { token });
  await until('nothing runs', async () => (await read()).body.tasks.every(({ state }) => state !== 'running'));
}

const rows: PluginRows = {
  walk: {
    make: () => ({ keep: ({ id = '' }) => void (task = id) }),
    task: () => ({ path: `/api/backup-tasks/${task}` }),
    setSchedule: () => ({ body: { schedule: 'daily', hour: 3 } }),
    entries: async (walked) => ({ path: `/api/backups/${await made(walked)}/files` }),
    read: () => ({ path: `/api/backups/${backup}/content?path=harbour-cafe.example/index.html` }),
    restore: () => ({
      path: `/api/backups/${backup}/restore`,
      body: { path: 'harbour-cafe.example/index.html', to: 'from-backup.html' },
    }),
    databases: () => ({ path: `/api/backups/${backup}/databases` }),
    cancel: () => ({ path: `/api/backup-tasks/${task}` }),
    remove: async (walked) => {
      await ended(walked);
      return { path: `/api/backups/${backup}` };
    },
  },
  unwalked: { dump: NO_DATABASE, restoreDatabase: NO_DATABASE },
  opened: 'backups',
  answered: Object.fromEntries([...NAMES, ...DATABASES].map((name) => [name, 'home'] as const)),
  bounded: { list: 'backups that the plan keeps', tasks: 'at most 50', databases: 'databases of the account' },
  isolation: {
    unmarked: {
      list: 'times and sizes',
      tasks: 'no tasks',
      taskStream: 'no tasks',
      task: 'work on paths that a request chose',
      entries: 'a folder of the backup',
      read: 'bytes of the file that it names',
      databases: 'an empty list',
      dump: 'a refusal',
    },
  },
  pages: { '/home/backups': [] },
  examples: {
    invented: {
      databases: {
        databases: [
          { engine: 'mariadb', name: 'demo_shop', size_bytes: 1_589_248, problem: null },
          { engine: 'postgresql', name: '', size_bytes: 0, problem: 'the database server does not answer' },
        ],
      },
      restoreDatabase: {
        ...{
          id: 'example',
          kind: 'restore',
          path: 'demo_shop',
          state: 'running',
          files: 0,
          size_bytes: 0,
          left_out: 0,
        },
        ...{ error: null, detail: null, created_at: '2026-11-25T03:17:00.000Z', ended_at: null },
      },
    },
  },
  accountTables: {
    backup_databases: 'about backups, which stay in their repository',
    backup_keys: 'open the repository, which stays',
    backup_repositories: 'about the repository, which stays',
    backup_schedules: 'archived',
    backup_tasks: 'work on its way',
    backups: 'about backups, which stay in their repository',
  },
};
export default rows;
