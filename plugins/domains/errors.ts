import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  domain_not_found: [404, 'Domain not found'],
  alias_not_found: [404, 'Alias not found'],
  aliases_limit_reached: [409, 'Limit of aliases of a domain reached'],
  invalid_docroot: [400, 'Not a usable document root'],
  invalid_domain: [400, 'Not a usable domain name'],
  webserver_failed: [502, 'The web server refused the change'],
  domain_exists: [409, 'Domain name already in use'],
  domain_held: [409, 'An administrator suspended the domain'],
  domain_has_subdomains: [409, 'Domain still has subdomains'],
  domain_limit_reached: [409, 'Domain limit of the plan reached'],
  names_limit_reached: [409, 'Limit of domains and subdomains of the plan reached'],
});
