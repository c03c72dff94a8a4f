import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  domain_not_found: [404, 'Domain not found'],
  container_not_found: [404, 'Container not found'],
  invalid_proxied_path: [400, 'Not a path that can be passed on'],
  webserver_failed: [502, 'The web server refused the change'],
});
