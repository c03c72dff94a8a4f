import type { RouteSpecs } from '../../../kernel/contract/route-spec.ts';
import { admin } from '../admin-route.ts';
import { PageQuery } from '../schema.ts';
import * as schema from './schema.ts';

const REAUTHENTICATION = 'POST /api/reauthenticate in the same session, at most five minutes before';
const ACCOUNT = '/api/accounts/:username';

const UPDATE_ACCOUNT = admin({
  method: 'PATCH',
  path: ACCOUNT,
  summary: 'Change plan, e-mail address or language',
  description: 'Members that are left out stay as they are. Another plan takes effect with the next request.',
  params: schema.AccountParams,
  body: schema.AccountChange,
  reply: schema.AccountView,
  errors: ['account_not_found', 'plan_not_found'],
});

/** Accounts, their sessions, usage and features. */
export const accountRoutes = {
  accounts: admin({
    method: 'GET',
    path: '/api/accounts',
    summary: 'List the accounts',
    description:
      'All filters that are given must match. With `over`, the usage of customers of other nodes is asked for there.',
    query: schema.AccountsQuery,
    reply: schema.AccountPage,
    errors: ['node_not_found'],
  }),
  createAccount: admin({
    method: 'POST',
    path: '/api/accounts',
    summary: 'Create an account; a user needs a plan or null, an administrator has none',
    description: `A new administrator requires ${REAUTHENTICATION}.`,
    idempotencyKey: 'kept',
    body: schema.AccountBody,
    reply: schema.AccountView,
    status: 201,
    errors: [
      'node_draining',
      'account_exists',
      'name_reserved',
      'ambiguous_username',
      'plan_not_found',
      'node_not_found',
      'reauthentication_required',
    ],
  }),
  account: admin({
    method: 'GET',
    path: ACCOUNT,
    summary: 'Get an account',
    description: 'Its plan, its effective features, and what was granted or revoked beside the plan.',
    params: schema.AccountParams,
    reply: schema.AccountView,
    errors: ['account_not_found'],
  }),
  updateAccount: UPDATE_ACCOUNT,
  removeAccount: admin({
    method: 'DELETE',
    path: ACCOUNT,
    at: 'named',
    summary: 'Remove an account; purge what it leaves, or keep it and reserve the name',
    description:
      'Files are moved to where only the operator finds them; databases and containers stay where they are. Until they are ' +
      'purged, no new account gets the name. A purge that takes long goes on after the reply.',
    params: schema.AccountParams,
    query: schema.PurgeQuery,
    reply: schema.AccountRemoved,
    errors: ['account_not_found', 'last_admin', 'own_account', 'purge_in_progress'],
  }),
  suspend: admin({
    method: 'POST',
    path: `${ACCOUNT}/suspend`,
    summary: 'Suspend an account and end its sessions',
    description: 'Until it is unsuspended it cannot log in. Its files, databases and containers stay.',
    params: schema.AccountParams,
    reply: schema.AccountView,
    errors: ['account_not_found', 'last_admin', 'own_account'],
  }),
  unsuspend: admin({
    method: 'POST',
    path: `${ACCOUNT}/unsuspend`,
    summary: 'Lift the suspension of an account',
    description: 'It can log in again, with what it had before.',
    params: schema.AccountParams,
    reply: schema.AccountView,
    errors: ['account_not_found'],
  }),
  password: admin({
    method: 'PUT',
    path: `${ACCOUNT}/password`,
    summary: 'Set the password of an account and end its sessions',
    description: `The password of an administrator, also the caller's own, requires ${REAUTHENTICATION}.`,
    params: schema.AccountParams,
    body: schema.PasswordBody,
    reply: schema.PasswordChanged,
    errors: ['account_not_found', 'reauthentication_required'],
  }),
  sessions: admin({
    method: 'GET',
    path: `${ACCOUNT}/sessions`,
    summary: 'List the sessions of an account, newest first',
    description: 'With address and program of each login; tokens are not shown.',
    params: schema.AccountParams,
    query: PageQuery,
    reply: schema.SessionList,
    errors: ['account_not_found'],
  }),
  endSessions: admin({
    method: 'DELETE',
    path: `${ACCOUNT}/sessions`,
    tokens: 'refused',
    summary: 'End all sessions of an account',
    description: 'Their tokens are refused from the next request on.',
    params: schema.AccountParams,
    reply: schema.SessionsEnded,
    errors: ['account_not_found'],
  }),
  endSession: admin({
    method: 'DELETE',
    path: `${ACCOUNT}/sessions/:id`,
    tokens: 'refused',
    summary: 'End one session of an account',
    description: 'Its token is refused from the next request on.',
    params: schema.SessionParams,
    reply: schema.SessionsEnded,
    errors: ['account_not_found', 'session_not_found'],
  }),
  usage: admin({
    method: 'GET',
    path: `${ACCOUNT}/usage`,
    at: 'named',
    summary: 'Get what an account uses, and its limits',
    description:
      'Where files must be measured, the first request may be 503 overloaded after ten seconds; ask again, it goes on.',
    params: schema.AccountParams,
    reply: schema.UsageList,
    errors: ['account_not_found', 'overloaded'],
  }),
  grant: admin({
    method: 'PUT',
    path: `${ACCOUNT}/features/:feature`,
    summary: 'Grant a feature to an account, independent of its plan',
    description: 'Takes effect with the next request, and stays when the plan changes.',
    params: schema.AccountFeatureParams,
    reply: schema.AccountView,
    errors: ['account_not_found'],
  }),
  revoke: admin({
    method: 'DELETE',
    path: `${ACCOUNT}/features/:feature`,
    summary: 'Revoke a feature from an account, or let its plan decide again',
    description: 'Takes effect with the next request. With `inherit=true`, neither grant nor revocation is left.',
    params: schema.AccountFeatureParams,
    query: schema.InheritQuery,
    reply: schema.AccountView,
    errors: ['account_not_found'],
  }),
} as const satisfies RouteSpecs;
