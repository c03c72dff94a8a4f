import type { PluginRows } from '../../support/plugin-rows.ts';

const SITE = '/api/site-access/harbour-cafe.example';

const rows: PluginRows = {
  walk: {
    setUser: () => ({
      path: `${SITE}/users`,
      body: { path: '/private', name: 'jane', password: 'correct horse battery' },
    }),
    removeUser: () => ({ path: `${SITE}/users?path=/private&name=jane` }),
    setBlocked: () => ({ path: `${SITE}/blocked`, body: { addresses: ['192.0.2.7', '2001:db8::/32'] } }),
    setErrorPages: () => ({ path: `${SITE}/error-pages`, body: { error_pages: [{ status: 404, path: '/404.html' }] } }),
  },
  opened: 'site_access',
  answered: 'home',
  without: {
    domains: { list: ['.sites[]'], setUser: 404, removeUser: 404, setBlocked: 404, setErrorPages: 404 },
  },
  bounded: { list: "one for each of an account's domains, by its plan" },
  isolation: { unmarked: { list: 'access to its domains, which have none' } },
  pages: {
    '/home/site-access': [
      'Protect a folder of blog.sunny-garden.example',
      'Change access to blog.sunny-garden.example',
    ],
  },
  accountTables: { site_access: 'archived' },
};
export default rows;
