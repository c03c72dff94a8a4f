import { definePlugin } from '../../kernel/contract/plugin.ts';
import type { LoginHistory } from '../../kernel/contract/points/login-history.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { dashboardPart, loginMetrics } from './extension-points.ts';
import { allSessions, credentialHandlers } from './handlers.ts';
import { CredentialChanges } from './credentials/credential-changes.ts';
import { asPageReply, assertOwnPage } from './credentials/page-reply.ts';
import { LoginLinks } from './credentials/login-links.ts';
import { Locks } from './throttle/locks.ts';
import { Login } from './credentials/login.ts';
import { loginRoutes } from './credentials/routes.ts';
import { Throttle } from './throttle/throttle.ts';
import { unlock } from './throttle/unlock.ts';
import * as schema from './schema.ts';
import { lastLogins } from './store.ts';
import { tokenRoutes } from './tokens/routes.ts';
import { accountTokenHandlers, tokenHandlers } from './tokens/tokens.ts';
import { resetTwofa } from './twofa/reset.ts';
import { twofaRoutes } from './twofa/routes.ts';
import { Twofa } from './twofa/twofa.ts';

export default definePlugin({
  name: 'login',
  description: 'Logging in and out, sessions, password, two-factor authentication and API tokens of the own account.',
  features: ['account', 'sessions', 'logout', 'twofa'],
  errors: fail,
  events,
  config: schema.LoginConfig,
  routes: {
    ...loginRoutes,
    sessions: {
      method: 'GET',
      path: '/api/account/sessions',
      address: 'both',
      feature: 'sessions',
      summary: 'List the sessions of the account',
      description: 'An account has at most 100 sessions: a login beyond that ends the oldest.',
      query: schema.SessionsQuery,
      reply: schema.SessionsReply,
    },
    endSession: {
      method: 'DELETE',
      path: '/api/account/sessions/:id',
      address: 'both',
      feature: 'sessions',
      tokens: 'refused',
      summary: 'End one session',
      description: 'Its token is refused from the next request on.',
      params: schema.SessionParams,
      reply: schema.SessionEnded,
      errors: ['session_not_found', 'owner_required'],
    },
    allSessions: {
      method: 'GET',
      path: '/api/sessions',
      address: 'admin',
      access: 'admin',
      summary: 'List the sessions of all accounts',
      description: 'Sessions of logins; API tokens are not among them.',
      query: schema.AllSessionsQuery,
      reply: schema.AllSessions,
    },
    ...twofaRoutes,
    ...tokenRoutes,
  },
  setup(host) {
    const { config, store, identity, events, node } = host;
    const twofa = new Twofa(host, config.issuer);
    const limits = { account: config.account_failures, address: config.address_failures };
    const throttle = new Throttle(store, host.workers, limits, node.clockSlackMs);
    host.onClose(() => throttle.close());
    const checks = { identity, events, throttle, twofa };
    const login = new Login(checks);
    const changes = new CredentialChanges({ ...checks, store });
    const links = new LoginLinks(host, () => config.home_url || node.url('user'));
    const locks = new Locks(host, throttle);
    return {
      service: { last: (id, limit, offset) => lastLogins(store, id, limit, offset) } satisfies LoginHistory,
      handlers: {
        login: async (call) => {
          assertOwnPage(call.header('hostkeep-page'), call.page);
          const client = { ip: call.ip, userAgent: call.header('user-agent'), signal: call.signal };
          return asPageReply(await login.logIn(call.body, client), call.page);
        },
        ...credentialHandlers(identity.sessions, changes, twofa),
        ...tokenHandlers(host, changes),
        ...accountTokenHandlers(identity),
        reauthenticate: (call) => changes.reauthenticate(call, call.body.password, call.body.twofa_code ?? ''),
        resetTwofa: (call) => resetTwofa(host, twofa, call),
        unlock: ({ account, params, query, ip }) =>
          unlock(host, params.username, { by: account.username, ip, from: query.from }),
        loginLink: (call) => links.make(call.params.username, call),
        useLoginLink: async (call) => {
          assertOwnPage(call.header('hostkeep-page'), call.page);
          const client = { ip: call.ip, userAgent: call.header('user-agent') };
          return asPageReply(await links.open(call.body.code, client), call.page);
        },
        allSessions: (call) => allSessions(identity.sessions, call),
        locks: () => locks.list(),
        liftLock: (call) => locks.lift(call.params.key, call),
      },
      provides: {
        dashboard: (account) => dashboardPart(twofa, account),
        counts: async () => ({ users: await identity.accounts.countOfHere() }),
        metrics: () => loginMetrics(login, throttle),
        demo: async (context) => (await import('./demo.ts')).fillDemo(host, context),
      },
    };
  },
});
