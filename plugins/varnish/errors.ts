import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  cache_not_offered: [409, 'This server has no cache before sites'],
  domain_not_found: [404, 'Domain not found'],
  webserver_failed: [502, 'The web server refused the change'],
});
