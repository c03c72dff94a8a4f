import { MOVE_ERRORS } from '../../kernel/areas/moves/arriving-files.ts';
import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  service_not_found: [404, 'Service not found'],
  service_off: [409, 'The service is switched off'],
  service_failed: [502, 'The service does not start or does not answer'],
  ...MOVE_ERRORS,
});
