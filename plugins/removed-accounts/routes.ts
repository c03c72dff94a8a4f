import type { RouteSpecs } from '../../kernel/contract/route-spec.ts';
import * as schema from './schema.ts';

const admin = { address: 'admin', access: 'admin', at: 'node', query: schema.NodeQuery } as const;
const PATH = '/api/removed-accounts';

export const removedAccountsRoutes = {
  list: {
    ...admin,
    method: 'GET',
    path: PATH,
    summary: 'List the removed accounts of a node whose backups are there',
    description: 'Those that were purged, for some days; those that were not, until their purge.',
    reply: schema.RestorableAccounts,
    errors: ['feature_unavailable'],
  },
  restore: {
    ...admin,
    method: 'POST',
    path: `${PATH}/:name/restore`,
    summary: 'Restore a removed account from a backup',
    description:
      'A new account gets the files, databases and settings of the backup, and all backups of the removed one. What fails removes it ' +
      'again, and the backups stay; only databases and settings may be missing, which the task then says. ' +
      `The reply is a task, which GET ${PATH}/:name/tasks/:id follows.`,
    params: schema.RemovedParams,
    body: schema.Restoring,
    reply: schema.RestoringTask,
    status: 202,
    idempotencyKey: 'kept',
    errors: [
      ...([
        'removed_account_not_found',
        'backup_not_found',
        'plan_not_found',
        'account_exists',
        'name_reserved',
      ] as const),
      ...(['removed_account_busy', 'feature_unavailable', 'overloaded'] as const),
    ],
  },
  remove: {
    ...admin,
    method: 'DELETE',
    path: `${PATH}/:name`,
    summary: 'Remove the backups of a removed account for good',
    description: 'Nothing of the account is left then.',
    params: schema.RemovedParams,
    reply: schema.BackupsRemoved,
    errors: ['removed_account_not_found', 'removed_account_busy', 'feature_unavailable'],
  },
  task: {
    ...admin,
    method: 'GET',
    path: `${PATH}/:name/tasks/:id`,
    summary: 'Show what became of the restoration of a removed account',
    description: 'It is known for a week after its end.',
    params: schema.TaskParams,
    reply: schema.RestoringTask,
    errors: ['task_not_found', 'feature_unavailable'],
  },
  cancel: {
    ...admin,
    method: 'DELETE',
    path: `${PATH}/:name/tasks/:id`,
    summary: 'Cancel the restoration of a removed account',
    description: 'The account that was begun is removed again, and the backups stay as they were.',
    params: schema.TaskParams,
    reply: schema.RestoringTask,
    errors: ['task_not_found', 'feature_unavailable'],
  },
} as const satisfies RouteSpecs;
