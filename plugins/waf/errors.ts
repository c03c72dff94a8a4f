import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  domain_not_found: [404, 'Domain not found'],
  invalid_waf_rule: [400, 'Not a rule that can be left out'],
  waf_not_offered: [409, 'This server has no firewall for sites'],
  webserver_failed: [502, 'The web server refused the change'],
});
