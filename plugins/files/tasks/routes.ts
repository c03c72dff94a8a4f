import type { RouteSpecs } from '../../../kernel/contract/route-spec.ts';
import { PATH_ERRORS } from '../errors.ts';
import { taskRoutes } from '../../../kernel/areas/tasks/task-routes.ts';
import * as schema from './schema.ts';

const BEGIN_ERRORS = [...PATH_ERRORS, 'file_not_found', 'file_exists', 'overloaded'] as const;
const beginning = { method: 'POST', at: 'home', reply: schema.FileTask, status: 202 } as const;

/** Work that takes longer than a request may: it goes on when the client is gone, which can ask for it later. */
export const workRoutes = {
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
      'Of all that is in it: 0755 for folders and for programs, 0644 for files, except those that only their owner may read. What ' +
      'root has put there is given to the account. Links are not followed; the reply is a task, which GET /api/files/tasks/:id follows.',
    body: schema.Repairing,
    errors: [...PATH_ERRORS, 'files_unavailable', 'overloaded'],
  },
  ...taskRoutes('/api/files/tasks', {
    ...{ on: 'files', task: schema.FileTask, tasks: schema.FileTasks },
    canceled: 'Nothing of it stays. A task that has ended is left as it is.',
    shared: { feature: ['filemanager', 'fix_permissions'] },
  }),
} as const satisfies RouteSpecs;
