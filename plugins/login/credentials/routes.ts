import type { RouteSpecs } from '../../../kernel/contract/route-spec.ts';
import { LoginReply } from '../../../kernel/areas/login.ts';
import { CREDENTIAL_ERRORS } from '../errors.ts';
import { AccountParams, TwofaRequired } from '../schema.ts';
import * as schema from './schema.ts';

/** Logging in and out, proving and changing the password, and the locks that failures bring. */
export const loginRoutes = {
  login: {
    method: 'POST',
    path: '/api/login',
    address: 'both',
    access: 'guest',
    summary: 'Log in',
    description:
      'For an account with two-factor authentication, the first response is 401 with twofa_required; the same ' +
      'request with twofa_code then returns the token. A page of this address sends `Hostkeep-Page: 1`, and gets a ' +
      'cookie in place of the token; with that header, the cookie counts as the token.',
    body: schema.LoginBody,
    reply: LoginReply,
    replies: { 401: TwofaRequired },
    headers: ['user-agent', 'hostkeep-page'],
    errors: [...CREDENTIAL_ERRORS, 'foreign_origin'],
  },
  logout: {
    method: 'POST',
    path: '/api/logout',
    address: 'both',
    feature: 'logout',
    tokens: 'refused',
    summary: 'Log out',
    description: 'Ends the session of this request; its token is refused from then on.',
    reply: schema.LogoutReply,
  },
  password: {
    method: 'PUT',
    path: '/api/account/password',
    address: 'both',
    feature: 'account',
    tokens: 'refused',
    summary: 'Change the password and end all other sessions',
    description:
      'An administrator with two-factor authentication needs POST /api/reauthenticate in the same session, at most ' +
      'five minutes before, which asks for a code as well.',
    body: schema.PasswordBody,
    reply: schema.PasswordReply,
    errors: [...CREDENTIAL_ERRORS, 'reauthentication_required', 'owner_required'],
  },
  reauthenticate: {
    method: 'POST',
    path: '/api/reauthenticate',
    address: 'admin',
    access: 'admin',
    tokens: 'refused',
    summary: 'Prove password and second factor again',
    description:
      'For five minutes, this session may then do what could take the server over: create an administrator, set the ' +
      'password of one, and reset a second factor. Without it, these are 403 reauthentication_required. With ' +
      'two-factor authentication, the code is needed too: the response without it is 401 with twofa_required.',
    body: schema.ReauthenticateBody,
    reply: schema.Reauthenticated,
    replies: { 401: TwofaRequired },
    errors: CREDENTIAL_ERRORS,
  },
  unlock: {
    method: 'POST',
    path: '/api/accounts/:username/unlock',
    address: 'admin',
    access: 'admin',
    tokens: 'refused',
    summary: 'Forget the failed logins of an account, so that it can log in at once',
    description:
      'With `from`, the address of its owner, an attack that goes on does not lock the owner out of that ' +
      'network again.',
    params: AccountParams,
    query: schema.UnlockQuery,
    reply: schema.Unlocked,
    errors: ['account_not_found'],
  },
  locks: {
    method: 'GET',
    path: '/api/locks',
    address: 'admin',
    access: 'admin',
    summary: 'List the accounts and networks whose logins are refused after failures',
    description: 'The 200 with the newest failures. An account may be locked in several ways at once.',
    reply: schema.LockList,
  },
  liftLock: {
    method: 'DELETE',
    path: '/api/locks/:key',
    address: 'admin',
    access: 'admin',
    summary: 'Lift a lock, so that logins are possible at once',
    description: 'For an account, as POST /api/accounts/{username}/unlock: from all networks.',
    params: schema.LockParams,
    reply: schema.LockLifted,
    errors: ['lock_not_found'],
  },
} as const satisfies RouteSpecs;
