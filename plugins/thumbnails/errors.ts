import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  permission_denied: [403, 'Refused by the permissions of the file'],
  file_not_found: [404, 'File not found'],
  picture_unreadable: [422, 'Not a picture that can be shown'],
});
