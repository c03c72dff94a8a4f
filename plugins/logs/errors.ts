import { MOVE_ERRORS } from '../../kernel/areas/moves/arriving-files.ts';
import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  domain_not_found: [404, 'Domain not found'],
  ...MOVE_ERRORS,
});
