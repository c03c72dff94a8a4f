import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  invalid_docroot: [400, 'Not a usable document root'],
  invalid_domain: [400, 'Not a usable domain name'],
  webserver_failed: [502, 'The web server refused the change'],
});
