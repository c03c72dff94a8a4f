import type { RouteSpecs } from '../../../kernel/contract/route-spec.ts';
import { PATH_ERRORS } from '../errors.ts';
import { TaskParams } from '../../../kernel/contract/tasks/task-schema.ts';
import * as schema from './schema.ts';

const BEGIN_ERRORS = [...PATH_ERRORS, 'file_not_found', 'file_exists', 'overloaded'] as const;
const beginning = { method: 'POST', at: 'home', reply: schema.FileTask, status: 202 } as const;

/** Work that takes longer than a request may: it goes on when the client is gone, which can ask for it later. */
export const taskRoutes = {
  copy: {
    ...beginning,
    path: '/api/files/copy',
    summary: 'Copy a file or folder',
    description:
      'To a name that nothing has, and which it gets when all is copied. Links are copied and not followed; the reply is a task, ' +
      'which GET /api/files/tasks/:id follows.',
    body: schema.Copying,
    errors: [...BEGIN_ERRORS, 'files_unavailable'],
  },
  repair: {
    ...beginning,
    feature: 'fix_permissions',
    path: '/api/files/repair',
    summary: 'Repair the permissions of a folder',
    description:
      'Of all that is in it: 0755 for folders and for programs, 0644 for files, except those that only their owner may read. Links ' +
      'are not followed; the reply is a task, which GET /api/files/tasks/:id follows.',
    body: schema.Repairing,
    errors: [...PATH_ERRORS, 'files_unavailable', 'overloaded'],
  },
  tasks: {
    feature: ['filemanager', 'fix_permissions'],
    method: 'GET',
    path: '/api/files/tasks',
    at: 'home',
    summary: 'List long work on files',
    description: 'What runs, and what ended within a week.',
    reply: schema.FileTasks,
  },
  task: {
    feature: ['filemanager', 'fix_permissions'],
    method: 'GET',
    path: '/api/files/tasks/:id',
    at: 'home',
    summary: 'Show long work on files',
    description: 'With how far it is, and what became of it.',
    params: TaskParams,
    reply: schema.FileTask,
    errors: ['task_not_found'],
  },
  cancel: {
    feature: ['filemanager', 'fix_permissions'],
    method: 'DELETE',
    path: '/api/files/tasks/:id',
    at: 'home',
    summary: 'Cancel long work on files',
    description: 'Nothing of it stays. A task that has ended is left as it is.',
    params: TaskParams,
    reply: schema.FileTask,
    errors: ['task_not_found'],
  },
} as const satisfies RouteSpecs;
