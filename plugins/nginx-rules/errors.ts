import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  domain_not_found: [404, 'Domain not found'],
  invalid_nginx_rules: [422, 'Not usable nginx directives'],
  nginx_rules_not_offered: [409, 'This server does not use nginx'],
  webserver_failed: [502, 'The web server refused the change'],
});
