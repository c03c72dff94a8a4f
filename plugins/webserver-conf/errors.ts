import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  domain_not_found: [404, 'Domain not found'],
  invalid_site_settings: [400, 'Not a usable setting of a site'],
  folder_listing_not_offered: [409, 'This server lists no folders'],
  webserver_failed: [502, 'The web server refused the change'],
});
