import { definePlugin } from '../../kernel/plugin-api/plugin.ts';
import { CountryDatabase, countryFinding } from './country.ts';
import { errors } from './errors.ts';
import { dashboardPart, loginMetrics } from './extension-points.ts';
import * as favorites from './favorites.ts';
import { activityPage, credentialHandlers, languages, loginHistory, setLanguage } from './handlers.ts';
import { CredentialChanges } from './login/credential-changes.ts';
import { asPageReply, assertOwnPage } from './login/page-reply.ts';
import { Login } from './login/login.ts';
import { Throttle } from './login/throttle.ts';
import { unlock } from './login/unlock.ts';
import * as schema from './schema.ts';
import { favoritesOf } from './store.ts';
import { resetTwofa } from './twofa/reset.ts';
import { Twofa } from './twofa/twofa.ts';

const CREDENTIAL_ERRORS = ['invalid_credentials', 'rate_limited'] as const;

export default definePlugin({
  name: 'account',
  features: ['account', 'sessions', 'logout', 'activity', 'login_history', 'locale', 'favorites', 'twofa'],
  errors,
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
      summary: 'Log out',
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
      summary: 'End one session',
      params: schema.SessionParams,
      reply: schema.SessionEnded,
      errors: ['session_not_found'],
    },
    password: {
      method: 'PUT',
      path: '/api/account/password',
      address: 'both',
      feature: 'account',
      summary: 'Change the password and end all other sessions',
      description:
        'An administrator with two-factor authentication needs POST /api/reauthenticate in the same session, at most ' +
        'five minutes before, which asks for a code as well.',
      body: schema.PasswordBody,
      reply: schema.PasswordReply,
      errors: [...CREDENTIAL_ERRORS, 'reauthentication_required'],
    },
    twofa: {
      method: 'GET',
      path: '/api/account/2fa',
      address: 'both',
      feature: 'twofa',
      summary: 'Get the status of two-factor authentication',
      reply: schema.TwofaStatus,
    },
    setupTwofa: {
      method: 'POST',
      path: '/api/account/2fa/setup',
      address: 'both',
      feature: 'twofa',
      summary: 'Start the set-up of two-factor authentication',
      description:
        'Returns a secret for an authenticator app. Two-factor authentication stays off until a code from the app ' +
        'confirms it within 15 minutes. Each call returns a new secret.',
      body: schema.TwofaSetupBody,
      reply: schema.TwofaSetup,
      errors: [...CREDENTIAL_ERRORS, 'twofa_already_enabled'],
    },
    confirmTwofa: {
      method: 'POST',
      path: '/api/account/2fa/confirm',
      address: 'both',
      feature: 'twofa',
      summary: 'Turn on two-factor authentication and end all other sessions',
      body: schema.TwofaConfirmBody,
      reply: schema.TwofaConfirmed,
      errors: ['invalid_code', 'rate_limited', 'twofa_already_enabled', 'twofa_not_started'],
    },
    disableTwofa: {
      method: 'DELETE',
      path: '/api/account/2fa',
      address: 'both',
      feature: 'twofa',
      summary: 'Turn off two-factor authentication and end all other sessions',
      body: schema.TwofaOffBody,
      reply: schema.TwofaOff,
      errors: [...CREDENTIAL_ERRORS, 'twofa_not_enabled'],
    },
    resetTwofa: {
      method: 'DELETE',
      path: '/api/accounts/:username/2fa',
      address: 'admin',
      access: 'admin',
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
      summary: 'Forget the failed logins of an account, so that it can log in at once',
      params: schema.AccountParams,
      query: schema.UnlockQuery,
      reply: schema.Unlocked,
      errors: ['account_not_found'],
    },
    reauthenticate: {
      method: 'POST',
      path: '/api/reauthenticate',
      address: 'admin',
      access: 'admin',
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
    activity: {
      method: 'GET',
      path: '/api/account/activity',
      feature: 'activity',
      summary: 'Get the activity log of the account',
      query: schema.ActivityQuery,
      reply: schema.ActivityPage,
    },
    loginHistory: {
      method: 'GET',
      path: '/api/account/login-history',
      feature: 'login_history',
      summary: 'List the last logins',
      reply: schema.LoginHistory,
    },
    languages: {
      method: 'GET',
      path: '/api/account/language',
      feature: 'locale',
      summary: 'List the installed languages and the current one',
      reply: schema.Languages,
    },
    setLanguage: {
      method: 'PUT',
      path: '/api/account/language',
      feature: 'locale',
      summary: 'Set the language',
      body: schema.LanguageBody,
      reply: schema.Languages,
    },
    favorites: {
      method: 'GET',
      path: '/api/favorites',
      feature: 'favorites',
      summary: 'List the favorites',
      reply: schema.Favorites,
    },
    putFavorite: {
      method: 'PUT',
      path: '/api/favorites',
      feature: 'favorites',
      summary: 'Add a favorite, or change its title',
      body: schema.FavoriteBody,
      reply: schema.Favorites,
      errors: ['favorites_full'],
    },
    removeFavorite: {
      method: 'DELETE',
      path: '/api/favorites',
      feature: 'favorites',
      summary: 'Remove a favorite',
      body: schema.FavoriteLink,
      reply: schema.Favorites,
    },
  },
  setup(host) {
    const { config, store, identity, events, node } = host;
    const twofa = new Twofa(host, config.issuer);
    const throttle = new Throttle(store, { account: config.account_failures, address: config.address_failures });
    const checks = { identity, events, throttle, twofa };
    const login = new Login(checks);
    const changes = new CredentialChanges({ ...checks, store });
    const countries = new CountryDatabase(host.log);
    return {
      handlers: {
        login: async (call) => {
          assertOwnPage(call.header('hostkeep-page'), call.page);
          const client = { ip: call.ip, userAgent: call.header('user-agent'), signal: call.signal };
          return asPageReply(await login.logIn(call.body, client), call.page);
        },
        ...credentialHandlers(identity.sessions, changes, twofa),
        reauthenticate: (call) => changes.reauthenticate(call, call.body.password, call.body.twofa_code ?? ''),
        resetTwofa: (call) => resetTwofa(host, twofa, call),
        unlock: ({ account, params, query, ip }) =>
          unlock(host, params.username, { by: account.username, ip, from: query.from }),
        activity: ({ account, query }) => activityPage(events, account, query),
        loginHistory: ({ account }) => loginHistory(store, account, countries),
        languages: ({ account }) => languages(node, account),
        setLanguage: ({ account, body, ip }) => setLanguage(host, account, body.locale, ip),
        favorites: ({ account }) => favoritesOf(store, account.id),
        putFavorite: ({ account, body, ip }) => favorites.put(host, account, body, ip),
        removeFavorite: ({ account, body, ip }) => favorites.remove(host, account, body.link, ip),
      },
      provides: {
        dashboard: (account) => dashboardPart(store, twofa, account),
        counts: async () => ({ users: await identity.accounts.count('user') }),
        metrics: () => loginMetrics(login, throttle),
        doctor: async () => [await countryFinding()],
        demo: async (context) => (await import('./demo.ts')).fillDemo(host, context),
      },
    };
  },
});
