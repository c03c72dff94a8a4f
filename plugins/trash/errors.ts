import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  permission_denied: [403, 'Refused by the permissions of the file'],
  file_not_found: [404, 'File not found'],
  file_exists: [409, 'Something of this name exists already'],
  no_space: [507, 'No room for this file'],
});
