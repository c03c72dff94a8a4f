import type { RouteSpecs } from '../../../kernel/contract/route-spec.ts';
import { CREDENTIAL_ERRORS } from '../errors.ts';
import { AccountParams, TwofaRequired } from '../schema.ts';
import * as schema from './schema.ts';

const own = { address: 'both', feature: 'account', tokens: 'refused' } as const;
const TOKENS = '/api/account/tokens';

const ofAccount = { address: 'admin', access: 'admin' } as const;
const TOKENS_OF = '/api/accounts/:username/tokens';

/** The routes of API tokens: an account's own, and those of others for administrators, who can only end them. */
export const tokenRoutes = {
  tokens: {
    ...own,
    method: 'GET',
    path: TOKENS,
    summary: 'List the API tokens of the account, and the scopes that a new one may have',
    description:
      'Newest first. The scopes are those of the features that the account has; their routes stand with each.',
    reply: schema.TokenList,
    errors: ['owner_required'],
  },
  makeToken: {
    ...own,
    method: 'POST',
    path: TOKENS,
    summary: 'Make an API token for a script; its text is shown once',
    description:
      'Asks for the password again, and for the code where two-factor authentication is on: the response without it is ' +
      '401 with twofa_required. A token never does more than its account: a scope counts while the account has its feature, ' +
      'and ends with it. At most 50 an account; suspending the account ends them, a new password does not.',
    idempotencyKey: 'refused',
    body: schema.TokenBody,
    reply: schema.TokenMade,
    status: 201,
    replies: { 401: TwofaRequired },
    errors: [...CREDENTIAL_ERRORS, 'tokens_full', 'owner_required'],
  },
  endToken: {
    ...own,
    method: 'DELETE',
    path: `${TOKENS}/:id`,
    summary: 'End an API token',
    description: 'It is refused from the next request on.',
    params: schema.TokenParams,
    reply: schema.TokenEnded,
    errors: ['token_not_found', 'owner_required'],
  },
  endTokens: {
    ...own,
    method: 'DELETE',
    path: TOKENS,
    summary: 'End all API tokens of the account',
    description: 'They are refused from the next request on. Sessions stay.',
    reply: schema.TokensEnded,
    errors: ['owner_required'],
  },
  tokensOf: {
    ...ofAccount,
    method: 'GET',
    path: TOKENS_OF,
    summary: 'List the API tokens of an account',
    description: 'Newest first, with what each may do, and when and from where it was used last.',
    params: AccountParams,
    reply: schema.AccountTokens,
    errors: ['account_not_found'],
  },
  endTokenOf: {
    ...ofAccount,
    method: 'DELETE',
    path: `${TOKENS_OF}/:id`,
    tokens: 'refused',
    summary: 'End an API token of an account',
    description: 'It is refused from the next request on.',
    params: schema.AccountTokenParams,
    reply: schema.TokenEnded,
    errors: ['account_not_found', 'token_not_found'],
  },
  endTokensOf: {
    ...ofAccount,
    method: 'DELETE',
    path: TOKENS_OF,
    tokens: 'refused',
    summary: 'End all API tokens of an account',
    description: 'They are refused from the next request on. Sessions stay.',
    params: AccountParams,
    reply: schema.TokensEnded,
    errors: ['account_not_found'],
  },
} as const satisfies RouteSpecs;
