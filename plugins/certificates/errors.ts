import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  domain_not_found: [404, 'Domain not found'],
  certificate_not_found: [404, 'No certificate of your own'],
  invalid_certificate: [400, 'Not a usable certificate'],
  certificate_required: [409, 'Certificate of an authority required'],
  certificates_not_issued: [409, 'This server orders no certificates'],
  certificate_too_soon: [429, 'Too soon for another certificate'],
  webserver_failed: [502, 'The web server refused the change'],
});
