import { definePlugin } from '../../kernel/contract/plugin.ts';
import { CountryDatabase, countryFinding } from './country.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { dashboardPart, loginMetrics } from './extension-points.ts';
import * as favorites from './favorites.ts';
import { activityPage, allSessions, credentialHandlers, languages, loginHistory, setLanguage } from './handlers.ts';
import { CredentialChanges } from './login/credential-changes.ts';
import { asPageReply, assertOwnPage } from './login/page-reply.ts';
import { LoginLinks } from './login/login-links.ts';
import { Locks } from './login/locks.ts';
import { Login } from './login/login.ts';
import { loginRoutes } from './login/routes.ts';
import { Throttle } from './login/throttle.ts';
import { unlock } from './login/unlock.ts';
import * as schema from './schema.ts';
import { readFavorites } from './store.ts';
import { tokenRoutes } from './tokens/routes.ts';
import { accountTokenHandlers, tokenHandlers } from './tokens/tokens.ts';
import { resetTwofa } from './twofa/reset.ts';
import { twofaRoutes } from './twofa/routes.ts';
import { Twofa } from './twofa/twofa.ts';

export default definePlugin({
  name: 'account',
  description:
    'Logging in and out, sessions, password, two-factor authentication, activity, language and favorites of ' +
    'the own account.',
  features: ['account', 'sessions', 'logout', 'activity', 'login_history', 'locale', 'favorites', 'twofa'],
  errors: fail,
  events,
  config: schema.AccountConfig,
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
      description: 'A link that is not a favorite changes nothing.',
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
        favorites: ({ account }) => readFavorites(store, account.id),
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
