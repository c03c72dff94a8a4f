import { definePlugin } from '../../kernel/plugin-api/plugin.ts';
import type { RouteSpec } from '../../kernel/plugin-api/route-spec.ts';
import type { Sessions } from '../../kernel/identity/sessions.ts';
import { errors } from './errors.ts';
import { CountryDatabase, countryFinding } from './country.ts';
import { fillDemo } from './demo.ts';
import * as favorites from './favorites.ts';
import { Login, type Caller } from './login/login.ts';
import {
  activityPage,
  dashboardPart,
  languages,
  loginHistory,
  loginMetrics,
  sessionView,
  setLanguage,
} from './handlers.ts';
import { resetTwofa } from './twofa/reset.ts';
import * as schema from './schema.ts';
import { favoritesOf } from './store.ts';
import { Throttle } from './login/throttle.ts';
import { Twofa } from './twofa/twofa.ts';

const CREDENTIAL_ERRORS = ['invalid_credentials', 'rate_limited'] as const;

/** A route of users, for admins on their own address too: there no feature is asked for, and no token of a user gets in. */
const forAdmins = <const R extends RouteSpec>(route: R) => ({ ...route, address: 'admin', access: 'admin' }) as const;

const logout = {
  method: 'POST',
  path: '/api/logout',
  feature: 'logout',
  summary: 'End the token',
  reply: schema.LogoutReply,
} as const;
const sessions = {
  method: 'GET',
  path: '/api/account/sessions',
  feature: 'sessions',
  summary: 'Where the account is logged in',
  reply: schema.SessionsReply,
} as const;
const endSession = {
  method: 'DELETE',
  path: '/api/account/sessions/:id',
  feature: 'sessions',
  summary: 'End one session at once',
  params: schema.SessionParams,
  reply: schema.SessionEnded,
  errors: ['session_not_found'],
} as const;
const password = {
  method: 'PUT',
  path: '/api/account/password',
  feature: 'account',
  summary: 'Change the password; all other sessions end',
  body: schema.PasswordBody,
  reply: schema.PasswordReply,
  errors: CREDENTIAL_ERRORS,
} as const;
const twofa = {
  method: 'GET',
  path: '/api/account/2fa',
  feature: 'twofa',
  summary: 'Whether two-factor authentication is on',
  reply: schema.TwofaStatus,
} as const;
const setupTwofa = {
  method: 'POST',
  path: '/api/account/2fa/setup',
  feature: 'twofa',
  summary: 'Get a secret for an authenticator app',
  description:
    'Two-factor authentication stays off until a code of the app has confirmed it, within 15 minutes. Asked again, it gives another secret.',
  body: schema.TwofaSetupBody,
  reply: schema.TwofaSetup,
  errors: [...CREDENTIAL_ERRORS, 'twofa_already_enabled'],
} as const;
const confirmTwofa = {
  method: 'POST',
  path: '/api/account/2fa/confirm',
  feature: 'twofa',
  summary: 'Turn two-factor authentication on; all other sessions end',
  body: schema.TwofaConfirmBody,
  reply: schema.TwofaConfirmed,
  errors: ['invalid_code', 'rate_limited', 'twofa_already_enabled', 'twofa_not_started'],
} as const;
const disableTwofa = {
  method: 'DELETE',
  path: '/api/account/2fa',
  feature: 'twofa',
  summary: 'Turn two-factor authentication off; all other sessions end',
  body: schema.TwofaOffBody,
  reply: schema.TwofaOff,
  errors: [...CREDENTIAL_ERRORS, 'twofa_not_enabled'],
} as const;

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
        'Where two-factor authentication is on, the first answer is 401 with twofa_required; the same request with twofa_code then gives the token.',
      body: schema.LoginBody,
      reply: schema.LoginReply,
      replies: { 401: schema.TwofaRequired },
      headers: ['user-agent'],
      errors: CREDENTIAL_ERRORS,
    },
    logout,
    sessions,
    endSession,
    password,
    twofa,
    setupTwofa,
    confirmTwofa,
    disableTwofa,
    adminLogout: forAdmins(logout),
    adminSessions: forAdmins(sessions),
    adminEndSession: forAdmins(endSession),
    adminPassword: forAdmins(password),
    adminTwofa: forAdmins(twofa),
    adminSetupTwofa: forAdmins(setupTwofa),
    adminConfirmTwofa: forAdmins(confirmTwofa),
    adminDisableTwofa: forAdmins(disableTwofa),
    resetTwofa: {
      method: 'DELETE',
      path: '/api/accounts/:username/2fa',
      address: 'admin',
      access: 'admin',
      summary: 'Turn two-factor authentication off for who lost it; all sessions of the account end',
      params: schema.TwofaResetParams,
      reply: schema.TwofaReset,
      errors: ['account_not_found', 'own_account'],
    },
    activity: {
      method: 'GET',
      path: '/api/account/activity',
      feature: 'activity',
      summary: 'What was done in the account',
      query: schema.ActivityQuery,
      reply: schema.ActivityPage,
    },
    loginHistory: {
      method: 'GET',
      path: '/api/account/login-history',
      feature: 'login_history',
      summary: 'The last logins',
      reply: schema.LoginHistory,
    },
    languages: {
      method: 'GET',
      path: '/api/account/language',
      feature: 'locale',
      summary: 'Installed languages, and the one in use',
      reply: schema.Languages,
    },
    setLanguage: {
      method: 'PUT',
      path: '/api/account/language',
      feature: 'locale',
      summary: 'Choose a language',
      body: schema.LanguageBody,
      reply: schema.Languages,
    },
    favorites: {
      method: 'GET',
      path: '/api/favorites',
      feature: 'favorites',
      summary: 'Pages to keep at hand',
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
    const login = new Login({ identity, events, store, throttle, twofa });
    const countries = new CountryDatabase(host.log);
    const own = ownHandlers(identity.sessions, login, twofa);
    return {
      handlers: {
        login: (call) => login.open(call.body, { ip: call.ip, userAgent: call.header('user-agent') }),
        ...own,
        adminLogout: own.logout,
        adminSessions: own.sessions,
        adminEndSession: own.endSession,
        adminPassword: own.password,
        adminTwofa: own.twofa,
        adminSetupTwofa: own.setupTwofa,
        adminConfirmTwofa: own.confirmTwofa,
        adminDisableTwofa: own.disableTwofa,
        resetTwofa: (call) => resetTwofa(host, twofa, call),
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
        demo: (context) => fillDemo(host, context),
      },
    };
  },
});

/** Handlers that users and admins share. */
function ownHandlers(sessions: Sessions, login: Login, twofa: Twofa) {
  return {
    logout: async ({ account, session, ip }: Caller) => {
      await sessions.end(account, session.id, ip, 'logout');
      return { logged_out: true } as const;
    },
    sessions: async ({ account, session }: Caller) => ({
      sessions: (await sessions.list(account.id)).map((row) => sessionView(row, session.id)),
    }),
    endSession: async ({ account, params: { id }, ip }: Caller & { readonly params: { id: string } }) => {
      await sessions.end(account, id, ip);
      return { id, ended: true } as const;
    },
    password: (call: Caller & { readonly body: { password: string; new_password: string } }) =>
      login.changePassword(call, call.body.password, call.body.new_password),
    twofa: async ({ account }: Caller) => {
      const enabled = await twofa.isEnabled(account.id);
      return { enabled, method: enabled ? 'authenticator_app' : '', code: '' } as const;
    },
    setupTwofa: (call: Caller & { readonly body: { password: string } }) => login.setUpTwofa(call, call.body.password),
    confirmTwofa: (call: Caller & { readonly body: { code: string } }) => login.confirmTwofa(call, call.body.code),
    disableTwofa: (call: Caller & { readonly body: { password: string; code: string } }) =>
      login.disableTwofa(call, call.body.password, call.body.code),
  };
}
