import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  domain_not_found: [404, 'Domain not found'],
  folder_user_not_found: [404, 'No such user of the folder'],
  invalid_address_range: [400, 'Not an address or a range of addresses'],
  invalid_error_page: [400, 'Not a usable error page'],
  invalid_folder: [400, 'Not a usable folder'],
  access_limit_reached: [409, 'Limit of protected folders or their users reached'],
  webserver_failed: [502, 'The web server refused the change'],
});
