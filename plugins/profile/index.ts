import { readersLanguage } from '../../kernel/contract/route-spec.ts';
import { archivedList } from '../../kernel/areas/archives/archived-list.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import type { LoginHistory } from '../../kernel/areas/login.ts';
import { CountryDatabase, countryFinding } from './country.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import * as favorites from './favorites.ts';
import { activityPage, dashboardPart, eventPage, languages, loginHistory, setLanguage } from './handlers.ts';
import * as schema from './schema.ts';
import { sessionHandlers, sessionRoutes } from './sessions.ts';
import { readFavorites } from './store.ts';

const NO_LOGINS: LoginHistory = { last: async () => [] };

export default definePlugin({
  name: 'profile',
  description: 'Sessions, activity, login history, language and favorites of the own account.',
  uses: ['login'],
  features: ['sessions', 'activity', 'login_history', 'locale', 'favorites'],
  errors: fail,
  events,
  routes: {
    ...sessionRoutes,
    activity: {
      method: 'GET',
      path: '/api/account/activity',
      feature: 'activity',
      summary: 'Get the activity log of the account',
      description: 'What was done in the account, and by whom, 25 lines on a page. The latest 10,000 are kept.',
      query: schema.ActivityQuery,
      reply: schema.ActivityPage,
    },
    events: {
      method: 'GET',
      path: '/api/account/events',
      feature: 'activity',
      summary: 'List the events of the account',
      description: 'What the activity log tells, as data and in the language of the account, newest first.',
      query: schema.EventsQuery,
      reply: schema.AccountEventPage,
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
      reply: schema.LoginRecords,
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
    const { store } = host;
    const logins = host.peer<LoginHistory>('login') ?? NO_LOGINS;
    const countries = new CountryDatabase(host.log);
    return {
      handlers: {
        ...sessionHandlers(host.identity.sessions),
        activity: ({ account, query }) => activityPage(host.events, account, query),
        events: (call) => eventPage(host, call.account, readersLanguage(call, host.node.locales), call.query),
        activityOf: async ({ params, query }) =>
          activityPage(host.events, await host.identity.accounts.get(params.username), query),
        loginHistory: ({ account }) => loginHistory(logins, account, countries),
        languages: ({ account }) => languages(host.node, account),
        setLanguage: ({ account, body, ip }) => setLanguage(host, account, body.locale, ip),
        favorites: ({ account }) => readFavorites(store, account.id),
        putFavorite: ({ account, body, ip }) => favorites.put(host, account, body, ip),
        removeFavorite: ({ account, body, ip }) => favorites.remove(host, account, body.link, ip),
      },
      provides: {
        dashboard: (account) => dashboardPart(logins, account),
        archive: () =>
          archivedList<schema.FavoriteBody>({
            item: schema.FavoriteBody,
            list: ({ id }) => readFavorites(store, id),
            put: (account, favorite) => favorites.put(host, account, favorite, ''),
            called: ({ title }) => `the favorite ${title}`,
          }),
        doctor: async () => [await countryFinding()],
        demoPast: async (people) => (await import('./demo.ts')).demoPast(host, people),
        demo: async (people) => (await import('./demo.ts')).fillDemo(host, people),
      },
    };
  },
});
