import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  domain_not_found: [404, 'Domain not found'],
  temporary_link_not_found: [404, 'Temporary link not found'],
  temporary_links_not_offered: [409, 'This server offers no temporary links'],
  webserver_failed: [502, 'The web server refused the change'],
});
