import type { RouteSpecs } from '../../kernel/contract/route-spec.ts';
import * as schema from './schema.ts';

const admin = { address: 'admin', access: 'admin' } as const;
const OF_ACCOUNT = '/api/backup-copies/accounts/:username';
const FOLLOW = `The reply is a task, which GET ${OF_ACCOUNT}/tasks/:id follows.`;

export const backupCopiesRoutes = {
  own: {
    method: 'GET',
    path: '/api/backup-copy',
    at: 'home',
    feature: { any: [], all: ['backups'] },
    summary: 'Get when the backups of the account were last copied to another place',
    description: 'Copies are made soon after a backup, where the provider has a place for them.',
    reply: schema.OwnBackupCopy,
  },
  list: {
    ...admin,
    method: 'GET',
    path: '/api/backup-copies',
    at: 'node',
    summary: 'List the copies of backups of the accounts of a node',
    description: 'With when each was made, and why the last try failed.',
    query: schema.NodeQuery,
    reply: schema.BackupCopyList,
  },
  stored: {
    ...admin,
    method: 'GET',
    path: '/api/backup-copies/stored',
    at: 'node',
    summary: 'List the copies that are at the remote of a node',
    description: 'Also those of accounts that are gone. The remote is asked, which takes some seconds.',
    query: schema.NodeQuery,
    reply: schema.StoredCopies,
    errors: ['copies_unavailable'],
  },
  copy: {
    ...admin,
    method: 'POST',
    path: `${OF_ACCOUNT}/copy`,
    at: 'named',
    summary: 'Copy the backups of an account now',
    description: `Only what the copy lacks is sent. ${FOLLOW}`,
    params: schema.AccountParams,
    reply: schema.CopyTask,
    status: 202,
    errors: ['account_not_found', 'copies_unavailable', 'overloaded'],
  },
  fetch: {
    ...admin,
    method: 'POST',
    path: `${OF_ACCOUNT}/fetch`,
    at: 'named',
    summary: 'Fetch the backups of an account from a copy',
    description:
      'A copy of the account itself, or of one that does not exist any more: add an account, and fetch its backups to restore it. ' +
      `Nothing is restored yet. ${FOLLOW}`,
    params: schema.AccountParams,
    body: schema.Fetching,
    reply: schema.CopyTask,
    status: 202,
    errors: ['account_not_found', 'copy_not_found', 'copy_of_other', 'copies_unavailable', 'overloaded'],
  },
  task: {
    ...admin,
    method: 'GET',
    path: `${OF_ACCOUNT}/tasks/:id`,
    at: 'named',
    summary: 'Show what became of work on a copy',
    description: 'It is known for a week after its end.',
    params: schema.TaskParams,
    reply: schema.CopyTask,
    errors: ['account_not_found', 'task_not_found'],
  },
  cancel: {
    ...admin,
    method: 'DELETE',
    path: `${OF_ACCOUNT}/tasks/:id`,
    at: 'named',
    summary: 'Cancel work on a copy',
    description: 'What a copy had before is whole all the time, and an account keeps the backups that it has.',
    params: schema.TaskParams,
    reply: schema.CopyTask,
    errors: ['account_not_found', 'task_not_found'],
  },
} as const satisfies RouteSpecs;
