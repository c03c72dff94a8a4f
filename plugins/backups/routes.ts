import type { RouteSpecs } from '../../kernel/contract/route-spec.ts';
import { Type } from '../../kernel/schema.ts';
import { taskRoutes } from '../../kernel/areas/tasks/task-routes.ts';
import * as schema from './schema.ts';

const home = { at: 'home' } as const;
const GET = { ...home, method: 'GET' } as const;
const POST = { ...home, method: 'POST', reply: schema.BackupTask, status: 202 } as const;
const READ = ['backup_not_found', 'invalid_path', 'backup_unreadable', 'backups_unavailable', 'overloaded'] as const;
const DATABASE = ['backup_not_found', 'database_not_found', 'backups_unavailable', 'overloaded'] as const;
const BROKEN = 'If the backup cannot be read to its end, the connection is broken off.';
const FOLLOW = 'The reply is a task, which GET /api/backup-tasks/:id follows.';

export const backupRoutes = {
  list: {
    ...GET,
    path: '/api/backups',
    summary: 'List the backups of the account',
    description: 'With the schedule by which they are made, and the room that they take.',
    reply: schema.Backups,
  },
  make: {
    ...POST,
    path: '/api/backups',
    summary: 'Back up the files and databases of the account now',
    description: `A database that cannot be read is left out, which the backup says. The oldest backup goes if the plan keeps no more. ${FOLLOW}`,
    errors: ['backups_unavailable', 'overloaded'],
  },
  entries: {
    ...GET,
    path: '/api/backups/:id/files',
    summary: 'List the entries of a folder in a backup',
    description: 'Page by page, with sizes, times and permissions.',
    params: schema.BackupParams,
    query: schema.EntriesQuery,
    reply: schema.BackupEntries,
    errors: [...READ, 'folder_not_found', 'files_unavailable'],
  },
  read: {
    ...GET,
    path: '/api/backups/:id/content',
    summary: 'Download a file from a backup',
    description: `As an attachment. ${BROKEN}`,
    params: schema.BackupParams,
    query: schema.FileQuery,
    produces: ['application/octet-stream'],
    reply: Type.Unknown(),
    errors: [...READ, 'file_not_found', 'files_unavailable'],
  },
  restore: {
    ...POST,
    path: '/api/backups/:id/restore',
    summary: 'Restore a file, a folder or all from a backup',
    description: `Each file takes its place when it is complete. ${FOLLOW}`,
    params: schema.BackupParams,
    body: schema.Restoring,
    errors: ['backup_not_found', 'file_not_found', 'invalid_path', 'backups_unavailable', 'overloaded'],
  },
  databases: {
    ...GET,
    path: '/api/backups/:id/databases',
    summary: 'List the databases of a backup',
    description: 'With those that it does not have, and why.',
    params: schema.BackupParams,
    reply: schema.BackupDatabases,
    errors: ['backup_not_found'],
  },
  dump: {
    ...GET,
    path: '/api/backups/:id/databases/:engine/:database/content',
    summary: 'Download a database from a backup',
    description: `As SQL statements that replace all that was in it. ${BROKEN}`,
    params: schema.DatabaseParams,
    produces: ['application/octet-stream'],
    reply: Type.Unknown(),
    errors: [...DATABASE, 'backup_unreadable'],
  },
  restoreDatabase: {
    ...POST,
    path: '/api/backups/:id/databases/:engine/:database/restore',
    summary: 'Restore a database from a backup',
    description:
      'Into its place, or into another one. The database has to exist, and keeps what the backup does not have. If a statement fails, the task says its line: then nothing has ' +
      `changed on PostgreSQL, and what came before it has on MariaDB. ${FOLLOW}`,
    params: schema.DatabaseParams,
    query: schema.IntoDatabase,
    errors: DATABASE,
  },
  remove: {
    ...home,
    method: 'DELETE',
    path: '/api/backups/:id',
    summary: 'Remove a backup',
    description: `For good and at once; the task frees the room that only this backup took. ${FOLLOW}`,
    params: schema.BackupParams,
    reply: schema.BackupTask,
    status: 202,
    errors: ['backup_not_found', 'backups_busy', 'backups_unavailable', 'overloaded'],
  },
  setSchedule: {
    ...home,
    method: 'PATCH',
    path: '/api/backup-schedule',
    summary: 'Set when backups are made, and how many are kept',
    description: 'Members that are left out stay as they are. No more are kept than the plan allows.',
    body: schema.ScheduleChange,
    reply: schema.BackupSchedule,
  },
  ...taskRoutes('/api/backup-tasks', {
    ...{ on: 'backups', task: schema.BackupTask, tasks: schema.BackupTasks },
    canceled: 'A backup that is not complete is none. What was restored in its place stays.',
  }),
} as const satisfies RouteSpecs;
