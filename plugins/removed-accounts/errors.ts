import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  removed_account_not_found: [404, 'Removed account not found'],
  backup_not_found: [404, 'Backup not found'],
  task_not_found: [404, 'No such work on files'],
  removed_account_busy: [409, 'The removed account is being restored'],
  task_interrupted: [503, 'The server stopped meanwhile'],
});
