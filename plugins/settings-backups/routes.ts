import type { RouteSpecs } from '../../kernel/contract/route-spec.ts';
import * as schema from './schema.ts';

const OF_BACKUP = { at: 'home', feature: { any: [], all: ['backups'] }, params: schema.BackupParams } as const;

export const settingsRoutes = {
  show: {
    ...OF_BACKUP,
    method: 'GET',
    path: '/api/backups/:id/settings',
    summary: 'Get whether a backup has the settings of the account',
    description: 'Its domains, certificates, database users and other settings, which cannot be downloaded.',
    reply: schema.BackupSettings,
    errors: ['backup_not_found'],
  },
  restore: {
    ...OF_BACKUP,
    method: 'POST',
    path: '/api/backups/:id/settings/restore',
    summary: 'Restore the settings of the account from a backup',
    description:
      'What was removed since comes back, what is there gets the settings and passwords that it had, and what was added since stays. ' +
      'The task is done when all was tried, and says what could not be put back. Domains that come back are served at the end. ' +
      'The reply is a task, which GET /api/backup-tasks/:id follows.',
    reply: schema.SettingsTask,
    status: 202,
    errors: ['backup_not_found', 'settings_not_found', 'overloaded'],
  },
} as const satisfies RouteSpecs;
