import { defineErrors, type HttpError } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  own_account: [409, 'Not possible with your own account'],
  invalid_code: [400, 'The code is not valid'],
  invalid_credentials: [401, 'Invalid credentials'],
  owner_required: [403, 'Only the owner of the account may do this'],
  lock_not_found: [404, 'There is no such lock'],
  twofa_already_enabled: [409, 'Two-factor authentication is already on'],
  twofa_not_enabled: [409, 'Two-factor authentication is not on'],
  twofa_not_started: [409, 'Two-factor set-up was not started'],
});

/** Errors of every route that checks a password or a code. */
export const CREDENTIAL_ERRORS = ['invalid_credentials', 'rate_limited'] as const;

/** The challenge (RFC 9110, section 11.6.1) of every 401. */
export const CHALLENGE = { 'WWW-Authenticate': 'Bearer' } as const;

/** Returns the 401 of every failed check of a login, whatever was wrong. */
export function invalidCredentials(): HttpError {
  return fail.invalid_credentials('wrong user name, password or code', { headers: CHALLENGE });
}

/** Returns the 401 for who is logged in, and has proved it with something wrong. */
export function invalidProof(): HttpError {
  return fail.invalid_credentials('wrong password or code', { headers: CHALLENGE });
}
