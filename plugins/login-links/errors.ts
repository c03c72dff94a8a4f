import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  invalid_login_link: [401, 'The link is no longer valid'],
  account_not_openable: [409, 'The account cannot be opened'],
});
