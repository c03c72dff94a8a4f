import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  php_pool_not_found: [404, 'No such processes of PHP'],
  php_pool_not_running: [409, 'PHP does not run there, or is being restarted'],
});
