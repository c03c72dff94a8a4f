import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  owner_required: [403, 'Only the owner of the account may do this'],
  favorites_full: [409, 'No room for another favorite'],
});
