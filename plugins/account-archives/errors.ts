import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  name_in_use: [409, 'There is something of this name already'],
  account_archive_refused: [422, 'Not an archive of an account that can be imported'],
});
