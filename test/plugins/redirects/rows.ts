import type { PluginRows } from '../../support/plugin-rows.ts';

const kept = { id: '' };

const rows: PluginRows = {
  walk: {
    add: () => ({
      body: { domain_url: 'harbour-cafe.example', path: '/menu.pdf', target: '/menu.html' },
      keep: ({ redirect_id: id = '' }) => void (kept.id = id),
    }),
    remove: () => ({ path: `/api/redirects/${kept.id}` }),
    setMainAddress: () => ({
      path: '/api/main-addresses/harbour-cafe.example',
      body: { main_address: 'www.harbour-cafe.example' },
    }),
  },
  opened: 'redirects',
  answered: {
    ...{ list: 'anywhere', add: 'home', remove: 'home' },
    ...{ listMainAddresses: 'anywhere', setMainAddress: 'home' },
  },
  without: { domains: { add: 404, remove: 404, listMainAddresses: ['.sites[]'], setMainAddress: 404 } },
  bounded: {
    list: "redirects of an account's domains, by its plan",
    listMainAddresses: "one for each of an account's domains, by its plan",
  },
  isolation: {
    unmarked: {
      list: 'redirects of its domains, which have none',
      setMainAddress: 'the names of its domain',
    },
  },
  pages: { '/home/redirects': ['Add redirect'] },
  accountTables: { redirects: 'archived', main_addresses: 'archived' },
};
export default rows;
