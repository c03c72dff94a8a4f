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
  answered: 'anywhere',
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
  isolation: { unmarked: { loginHistory: 'addresses and times', languages: 'languages of the server' } },
  pages: {
    '/home/account': ['Turn on two-factor authentication', 'Add favorite'],
    '/home/account/sessions': [],
    '/home/account/activity': [],
    '/console/account/sessions': [],
  },
};
export default rows;
