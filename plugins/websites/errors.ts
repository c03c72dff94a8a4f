import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this area; titles in other languages stand in `locales/`. */
export const fail = defineErrors({
  database_info_not_found: [404, 'No application configuration found'],
  file_too_complex: [422, 'The file asks for too much'],
  invalid_config_file: [422, 'The configuration file cannot be read'],
});
