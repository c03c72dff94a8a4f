import type { RouteSpecs } from '../../kernel/contract/route-spec.ts';
import * as schema from './schema.ts';

const SHARED = ['invalid_path', 'permission_denied', 'folder_not_found', 'files_unavailable', 'overloaded'] as const;
const CHANGE_ERRORS = [...SHARED, 'file_not_found', 'file_exists', 'no_space'] as const;
const shared = { at: 'home', feature: { any: [], all: ['filemanager'] } } as const;

/** The trash, which keeps what was removed for some time. */
export const trashRoutes = {
  remove: {
    ...shared,
    method: 'POST',
    path: '/api/files/trash',
    summary: 'Move files and folders to the trash',
    description: 'Each by itself: the reply says for each whether it is there. The trash counts against the plan.',
    body: schema.Removal,
    reply: schema.Done,
    errors: CHANGE_ERRORS,
  },
  list: {
    ...shared,
    method: 'GET',
    path: '/api/files/trash',
    summary: 'List the trash',
    description: 'With where each item was, and when it was removed.',
    reply: schema.Trash,
    errors: SHARED,
  },
  restore: {
    ...shared,
    method: 'POST',
    path: '/api/files/restore',
    summary: 'Restore what was removed',
    description: 'To where it was, unless something else is there now.',
    body: schema.Restore,
    reply: schema.Done,
    errors: CHANGE_ERRORS,
  },
  empty: {
    ...shared,
    method: 'POST',
    path: '/api/files/trash/empty',
    summary: 'Remove items of the trash for good',
    description:
      'The named ones, or all. What is on its way out is listed no longer, also if the task is canceled; the next one removes the ' +
      'rest of it. The reply is a task, which GET /api/files/tasks/:id follows.',
    body: schema.Emptying,
    reply: schema.TrashTask,
    status: 202,
    errors: ['files_unavailable', 'overloaded'],
  },
} as const satisfies RouteSpecs;
