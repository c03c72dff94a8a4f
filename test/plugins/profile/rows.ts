import type { PluginRows } from '../../support/plugin-rows.ts';

const PRODUCT = 'as many as the product has';
const KEPT = 'a number that the plugin keeps or makes';

const rows: PluginRows = {
  walk: {
    endSession: async ({ people, session }) => ({ path: `/api/account/sessions/${await session(people.demo)}` }),
    'endSession on admin': async ({ people, session }) => ({
      path: `/api/account/sessions/${await session(people.operator)}`,
    }),
    setLanguage: () => ({ body: { locale: 'de' } }),
    putFavorite: () => ({ body: { link: '/files', title: 'Files' } }),
    removeFavorite: () => ({ body: { link: '/files' } }),
    activity: () => ({ path: '/api/account/activity?search=demo&page=1' }),
    activityOf: () => ({ path: '/api/accounts/demo/activity?search=domain' }),
  },
  opened: {
    ...{
      sessions: 'sessions',
      endSession: 'sessions',
      activity: 'activity',
      events: 'activity',
      loginHistory: 'login_history',
    },
    ...{ languages: 'locale', setLanguage: 'locale' },
    ...{ favorites: 'favorites', putFavorite: 'favorites', removeFavorite: 'favorites' },
  },
  answered: 'anywhere',
  without: { login: { loginHistory: ['[]'] } }, // the history is of logins by password, which the walk makes there
  bounded: {
    languages: PRODUCT,
    setLanguage: PRODUCT,
    loginHistory: KEPT,
    activity: KEPT,
    activityOf: KEPT,
    favorites: KEPT,
    putFavorite: KEPT,
    removeFavorite: KEPT,
  },
  isolation: {
    repeatingOwn: ['events'],
    unmarked: { loginHistory: 'addresses and times', languages: 'languages of the server' },
  },
  pages: {
    '/home/account': ['Turn on two-factor authentication', 'Add favorite'],
    '/home/account/sessions': [],
    '/home/account/activity': [],
    '/console/account/sessions': [],
  },
  accountTables: { favorites: 'archived' },
};
export default rows;
