import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  domain_not_found: [404, 'Domain not found'],
  redirect_not_found: [404, 'Redirect not found'],
  invalid_redirect: [400, 'Not a usable redirect'],
  invalid_main_address: [400, 'Not an address of the site'],
  redirect_exists: [409, 'The path is redirected already'],
  redirects_limit_reached: [409, 'Limit of redirects of the plan reached'],
  webserver_failed: [502, 'The web server refused the change'],
});
