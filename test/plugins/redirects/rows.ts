import type { PluginRows } from '../../support/plugin-rows.ts';

const kept = { id: '' };

const rows: PluginRows = {
  walk: {
    add: () => ({
      body: { domain_url: 'harbour-cafe.example', path: '/menu.pdf', target: '/menu.html' },
      keep: ({ redirect_id: id = '' }) => void (kept.id = id),
    }),
    remove: () => ({ path: `/api/redirects/${kept.id}` }),
  },
  opened: 'redirects',
  answered: { list: 'anywhere', add: 'home', remove: 'home' },
  without: { domains: { add: 404, remove: 404 } },
  bounded: { list: "redirects of an account's domains, by its plan" },
  isolation: { unmarked: { list: 'redirects of its domains, which have none' } },
  pages: { '/home/redirects': ['Add redirect'] },
  accountTables: { redirects: 'archived' },
};
export default rows;
