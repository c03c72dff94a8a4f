import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  invalid_login_name: [400, 'Not a usable name'],
  invalid_public_key: [400, 'Not a usable public key'],
  ssh_keys_disabled: [403, 'Public keys not available on this plan'],
  login_not_found: [404, 'Login not found'],
  public_key_not_found: [404, 'Public key not found'],
  connection_not_found: [404, 'Connection not found'],
  login_exists: [409, 'Login already there'],
  public_key_exists: [409, 'Public key already there'],
  ftp_limit_reached: [409, 'Limit of the plan for SFTP logins reached'],
  public_keys_limit_reached: [409, 'No room for another public key'],
  sftp_failed: [502, 'The logins could not be changed'],
  connections_unknown: [503, 'It is not known who is logged in'],
});
