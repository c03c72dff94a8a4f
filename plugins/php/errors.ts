import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  domain_not_found: [404, 'Domain not found'],
  invalid_php_option: [400, 'Not a usable PHP option'],
  invalid_php_ini: [422, 'Not a usable php.ini'],
  php_off: [409, 'PHP is off for this domain'],
  php_version_not_found: [404, 'PHP version not offered'],
  php_failed: [502, 'PHP does not start this way'],
  php_info_failed: [502, 'PHP does not tell its settings'],
  webserver_failed: [502, 'The web server refused the change'],
});
