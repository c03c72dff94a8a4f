import { defineErrors } from '../../kernel/errors.ts';
import { RESTIC_ERRORS } from '../../kernel/kit/restic/errors.ts';

export { AGAIN, unlessMissing } from '../../kernel/kit/restic/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  ...RESTIC_ERRORS,
  backup_not_found: [404, 'Backup not found'],
  database_not_found: [404, 'Database not found'],
  task_not_found: [404, 'No such work on files'],
  backups_busy: [409, 'Other work on the backups has not ended'],
  backups_exist: [409, 'The account has backups already'],
  nothing_to_back_up: [422, 'There is nothing to back up'],
  task_interrupted: [503, 'The server stopped meanwhile'],
});
