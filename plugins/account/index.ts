import { definePlugin } from '../../kernel/plugin-api/plugin.ts';
import { CountryDatabase, countryFinding } from './country.ts';
import { errors } from './errors.ts';
import { events } from './events.ts';
import { dashboardPart, loginMetrics } from './extension-points.ts';
import * as favorites from './favorites.ts';
import { activityPage, allSessions, credentialHandlers, languages, loginHistory, setLanguage } from './handlers.ts';
import { CredentialChanges } from './login/credential-changes.ts';
import { asPageReply, assertOwnPage } from './login/page-reply.ts';
import { LoginLinks } from './login/login-links.ts';
import { Locks } from './login/locks.ts';
import { Login } from './login/login.ts';
import { Throttle } from './login/throttle.ts';
import { unlock } from './login/unlock.ts';
import * as schema from './schema.ts';
import { favoritesOf } from './store.ts';
import { tokenRoutes } from './tokens/routes.ts';
import { accountTokenHandlers, tokenHandlers } from './tokens/tokens.ts';
import { resetTwofa } from './twofa/reset.ts';
import { Twofa } from './twofa/twofa.ts';

const CREDENTIAL_ERRORS = ['invalid_credentials', 'rate_limited'] as const;

export default definePlugin({
  name: 'account',
  description:
    'Logging in and out, sessions, password, two-factor authentication, activity, language and favorites of ' +
    'the own account.',
  features: ['account', 'sessions', 'logout', 'activity', 'login_history', 'locale', 'favorites', 'twofa'],
  errors,
  events,
  config: schema.AccountConfig,
  routes: {
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
      reply: schema.LoginReply,
      replies: { 401: schema.TwofaRequired },
      headers: ['user-agent', 'hostkeep-page'],
      errors: [...CREDENTIAL_ERRORS, 'foreign_origin'],
    },
    logout: {
      method: 'POST',
      path: '/api/logout',
      address: 'both',
      feature: 'logout',
      sessionOnly: true,
      summary: 'Log out',
      description: 'Ends the session of this request; its token is refused from then on.',
      reply: schema.LogoutReply,
    },
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
      sessionOnly: true,
      summary: 'End one session',
      description: 'Its token is refused from the next request on.',
      params: schema.SessionParams,
      reply: schema.SessionEnded,
      errors: ['session_not_found'],
    },
    password: {
      method: 'PUT',
      path: '/api/account/password',
      address: 'both',
      feature: 'account',
      sessionOnly: true,
      summary: 'Change the password and end all other sessions',
      description:
        'An administrator with two-factor authentication needs POST /api/reauthenticate in the same session, at most ' +
        'five minutes before, which asks for a code as well.',
      body: schema.PasswordBody,
      reply: schema.PasswordReply,
      errors: [...CREDENTIAL_ERRORS, 'reauthentication_required', 'owner_required'],
    },
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
      sessionOnly: true,
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
      sessionOnly: true,
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
      sessionOnly: true,
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
      sessionOnly: true,
      summary: 'Reset two-factor authentication for an account and end all its sessions',
      description: 'Requires POST /api/reauthenticate in the same session, at most five minutes before.',
      params: schema.AccountParams,
      reply: schema.TwofaReset,
      errors: ['account_not_found', 'own_account', 'reauthentication_required'],
    },
    unlock: {
      method: 'POST',
      path: '/api/accounts/:username/unlock',
      address: 'admin',
      access: 'admin',
      sessionOnly: true,
      summary: 'Forget the failed logins of an account, so that it can log in at once',
      description:
        'With `from`, the address of its owner, an attack that goes on does not lock the owner out of that ' +
        'network again.',
      params: schema.AccountParams,
      query: schema.UnlockQuery,
      reply: schema.Unlocked,
      errors: ['account_not_found'],
    },
    loginLink: {
      method: 'POST',
      path: '/api/accounts/:username/login-link',
      address: 'admin',
      access: 'admin',
      scopeArea: 'login-links',
      idempotencyKey: 'refused',
      summary: 'Make a link that opens the account of a customer, once, within a minute',
      description:
        'Requires POST /api/reauthenticate in the same session, at most five minutes before, or an API token with the ' +
        'scope login-links:write, as for billing systems. The session that the link opens is marked, and cannot change ' +
        'credentials; the activity log of the account has both.',
      params: schema.AccountParams,
      reply: schema.LoginLink,
      errors: ['account_not_found', 'account_not_openable', 'reauthentication_required'],
    },
    useLoginLink: {
      method: 'POST',
      path: '/api/login-link',
      access: 'guest',
      summary: 'Log in with the link of an administrator',
      description:
        'Once, within a minute, while the session lives in which the link was made. To a page of this address the token goes ' +
        'as a cookie, as with POST /api/login.',
      body: schema.LoginLinkBody,
      reply: schema.LoginReply,
      headers: ['user-agent', 'hostkeep-page'],
      errors: ['invalid_login_link', 'foreign_origin'],
    },
    allSessions: {
      method: 'GET',
      path: '/api/sessions',
      address: 'admin',
      access: 'admin',
      summary: 'List the sessions of all accounts',
      description: 'Those of logins; API tokens are not among them.',
      query: schema.AllSessionsQuery,
      reply: schema.AllSessions,
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
    reauthenticate: {
      method: 'POST',
      path: '/api/reauthenticate',
      address: 'admin',
      access: 'admin',
      sessionOnly: true,
      summary: 'Prove password and second factor again',
      description:
        'For five minutes, this session may then do what could take the server over: create an administrator, set the ' +
        'password of one, and reset a second factor. Without it, these are 403 reauthentication_required. With ' +
        'two-factor authentication, the code is needed too: the response without it is 401 with twofa_required.',
      body: schema.ReauthenticateBody,
      reply: schema.Reauthenticated,
      replies: { 401: schema.TwofaRequired },
      errors: CREDENTIAL_ERRORS,
    },
    ...tokenRoutes,
    activity: {
      method: 'GET',
      path: '/api/account/activity',
      feature: 'activity',
      summary: 'Get the activity log of the account',
      description: 'What was done in the account, and by whom, 25 lines on a page. The latest 10,000 are kept.',
      query: schema.ActivityQuery,
      reply: schema.ActivityPage,
    },
    activityOf: {
      method: 'GET',
      path: '/api/accounts/:username/activity',
      address: 'admin',
      access: 'admin',
      summary: 'Get the activity log of an account',
      description: 'What the account itself gets from GET /api/account/activity.',
      params: schema.AccountParams,
      query: schema.ActivityQuery,
      reply: schema.ActivityPage,
      errors: ['account_not_found'],
    },
    loginHistory: {
      method: 'GET',
      path: '/api/account/login-history',
      feature: 'login_history',
      summary: 'List the last logins',
      description: 'Successful logins of the account, with the country of the address as far as it is known.',
      reply: schema.LoginHistory,
    },
    languages: {
      method: 'GET',
      path: '/api/account/language',
      feature: 'locale',
      summary: 'List the installed languages and the current one',
      description: 'Titles of errors and names of features appear in the current language.',
      reply: schema.Languages,
    },
    setLanguage: {
      method: 'PUT',
      path: '/api/account/language',
      feature: 'locale',
      summary: 'Set the language',
      description: 'From the next request on, titles of errors and names of features appear in it.',
      body: schema.LanguageBody,
      reply: schema.Languages,
    },
    favorites: {
      method: 'GET',
      path: '/api/favorites',
      feature: 'favorites',
      summary: 'List the favorites',
      description: 'In the order that the account gave them; new ones come last.',
      reply: schema.Favorites,
    },
    putFavorite: {
      method: 'PUT',
      path: '/api/favorites',
      feature: 'favorites',
      summary: 'Add a favorite, change its title, or move it',
      description: 'A favorite with the same link gets the new title, and moves if `position` says so.',
      body: schema.FavoriteBody,
      reply: schema.Favorites,
      errors: ['favorites_full'],
    },
    removeFavorite: {
      method: 'DELETE',
      path: '/api/favorites',
      feature: 'favorites',
      summary: 'Remove a favorite',
      description: 'A link that is no favorite changes nothing.',
      body: schema.FavoriteLink,
      reply: schema.Favorites,
    },
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
    const countries = new CountryDatabase(host.log);
    return {
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
        activity: ({ account, query }) => activityPage(events, account, query),
        activityOf: async ({ params, query }) =>
          activityPage(events, await identity.accounts.get(params.username), query),
        loginHistory: ({ account }) => loginHistory(store, account, countries),
        languages: ({ account }) => languages(node, account),
        setLanguage: ({ account, body, ip }) => setLanguage(host, account, body.locale, ip),
        favorites: ({ account }) => favoritesOf(store, account.id),
        putFavorite: ({ account, body, ip }) => favorites.put(host, account, body, ip),
        removeFavorite: ({ account, body, ip }) => favorites.remove(host, account, body.link, ip),
      },
      provides: {
        dashboard: (account) => dashboardPart(store, twofa, account),
        counts: async () => ({ users: await identity.accounts.countOfHere() }),
        metrics: () => loginMetrics(login, throttle),
        doctor: async () => [await countryFinding()],
        demo: async (context) => (await import('./demo.ts')).fillDemo(host, context),
      },
    };
  },
});
