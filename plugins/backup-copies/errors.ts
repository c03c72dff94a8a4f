import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  copy_not_found: [404, 'Copy of backups not found'],
  task_not_found: [404, 'No such work on files'],
  copy_of_other: [409, 'The copy is that of another account'],
  copies_busy: [409, 'Other work on the copies has not ended'],
  nothing_to_copy: [422, 'There are no backups to copy'],
  task_interrupted: [503, 'The server stopped meanwhile'],
  copies_unavailable: [503, 'Copies of backups not possible at the moment'],
});

/** The options of an error after which the client may ask again, once somebody has looked at the remote. */
export const AGAIN = { retryAfterSeconds: 60 };
