import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  move_refused: [409, 'Account cannot be moved'],
  databases_unavailable: [503, 'Databases not available at the moment'],
});
