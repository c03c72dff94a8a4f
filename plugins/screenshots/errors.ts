import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; their titles in other languages are in `locales/`. */
export const fail = defineErrors({
  domain_not_found: [404, 'Domain not found'],
  invalid_domain: [400, 'Not a usable domain name'],
  site_unreachable: [502, 'The site could not be reached'],
  screenshots_unavailable: [503, 'Screenshots are temporarily unavailable'],
});
