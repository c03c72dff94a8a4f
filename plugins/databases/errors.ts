import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  invalid_unit: [400, 'Unknown unit'],
  database_not_found: [404, 'Database not found'],
  databases_unavailable: [503, 'Databases not available at the moment'],
});
