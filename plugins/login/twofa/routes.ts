import type { RouteSpecs } from '../../../kernel/contract/route-spec.ts';
import { CREDENTIAL_ERRORS } from '../errors.ts';
import { AccountParams } from '../schema.ts';
import * as schema from './schema.ts';

/** Two-factor authentication: an account's own, and the reset by administrators. */
export const twofaRoutes = {
  twofa: {
    method: 'GET',
    path: '/api/account/2fa',
    address: 'both',
    feature: 'twofa',
    summary: 'Get the status of two-factor authentication',
    description: 'Whether logins of this account need a code besides the password.',
    reply: schema.TwofaStatus,
  },
  setupTwofa: {
    method: 'POST',
    path: '/api/account/2fa/setup',
    address: 'both',
    feature: 'twofa',
    tokens: 'refused',
    summary: 'Start the set-up of two-factor authentication',
    description:
      'Returns a secret for an authenticator app. Two-factor authentication stays off until a code from the app ' +
      'confirms it within 15 minutes. Each call returns a new secret.',
    body: schema.TwofaSetupBody,
    reply: schema.TwofaSetup,
    errors: [...CREDENTIAL_ERRORS, 'twofa_already_enabled', 'owner_required'],
  },
  confirmTwofa: {
    method: 'POST',
    path: '/api/account/2fa/confirm',
    address: 'both',
    feature: 'twofa',
    tokens: 'refused',
    summary: 'Turn on two-factor authentication and end all other sessions',
    description:
      'Needs the secret that the set-up returned at most 15 minutes before. The recovery codes are in this ' +
      'response only.',
    body: schema.TwofaConfirmBody,
    reply: schema.TwofaConfirmed,
    errors: ['invalid_code', 'rate_limited', 'twofa_already_enabled', 'twofa_not_started', 'owner_required'],
  },
  disableTwofa: {
    method: 'DELETE',
    path: '/api/account/2fa',
    address: 'both',
    feature: 'twofa',
    tokens: 'refused',
    summary: 'Turn off two-factor authentication and end all other sessions',
    description: 'Needs the password and a code, or a recovery code.',
    body: schema.TwofaOffBody,
    reply: schema.TwofaOff,
    errors: [...CREDENTIAL_ERRORS, 'twofa_not_enabled', 'owner_required'],
  },
  resetTwofa: {
    method: 'DELETE',
    path: '/api/accounts/:username/2fa',
    address: 'admin',
    access: 'admin',
    tokens: 'refused',
    summary: 'Reset two-factor authentication for an account and end all its sessions',
    description: 'Requires POST /api/reauthenticate in the same session, at most five minutes before.',
    params: AccountParams,
    reply: schema.TwofaReset,
    errors: ['account_not_found', 'own_account', 'reauthentication_required'],
  },
} as const satisfies RouteSpecs;
