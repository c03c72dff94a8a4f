import { defineErrors } from '../../kernel/errors.ts';
import { DATABASE_ERRORS } from '../../kernel/kit/databases/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  ...DATABASE_ERRORS,
  invalid_database_host: [400, 'Not a usable host'],
  remote_access_disabled: [403, 'Access from other machines not available on this plan'],
});
