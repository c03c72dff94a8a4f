import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  backup_not_found: [404, 'Backup not found'],
  database_not_found: [404, 'Database not found'],
  file_not_found: [404, 'File not found'],
  task_not_found: [404, 'No such work on files'],
  backups_busy: [409, 'Other work on the backups has not ended'],
  backups_exist: [409, 'The account has backups already'],
  file_exists: [409, 'Something of this name exists already'],
  nothing_to_back_up: [422, 'There is nothing to back up'],
  task_interrupted: [503, 'The server stopped meanwhile'],
  backup_failed: [503, 'The backup was not made'],
  backups_unavailable: [503, 'Backups not possible on this server at the moment'],
  backup_unreadable: [503, 'The backup cannot be read'],
  no_space: [507, 'No room for this file'],
  backups_full: [507, 'No room for another backup'],
});

/** The options of an error after which the client may ask again, once somebody has looked at the server. */
export const AGAIN = { retryAfterSeconds: 60 };

/** Returns the error for a program that could not be started: 503 `backups_unavailable` if it is not installed, else its own. */
export function unlessMissing(program: string, cause: unknown): unknown {
  if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') return cause;
  return fail.backups_unavailable(`${program} is not installed on this server`, { cause, retryAfterSeconds: 600 });
}
