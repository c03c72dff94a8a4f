import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  domain_not_found: [404, 'Domain not found'],
  phpmyadmin_not_open: [404, 'phpMyAdmin is not open'],
  domain_without_https: [409, 'The domain has no HTTPS'],
  databases_not_managed: [409, 'Databases not managed here'],
  phpmyadmin_failed: [502, 'phpMyAdmin does not start'],
  webserver_failed: [502, 'The web server refused the change'],
  databases_unavailable: [503, 'Databases not available at the moment'],
  phpmyadmin_missing: [503, 'phpMyAdmin is not available on this server'],
});
