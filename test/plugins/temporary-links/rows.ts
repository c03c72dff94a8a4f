import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = {
  surroundings: () => ({ config: { 'temporary-links': { preview_domain: 'preview.example.net' } } }),
  walk: {
    make: () => ({ body: { domain_url: 'harbour-cafe.example' } }),
    remove: () => ({ path: '/api/temporary-links/harbour-cafe.example' }),
  },
  opened: 'temporary_links',
  answered: 'home',
  without: { domains: { make: 404, remove: 404 } },
  bounded: { list: "one for each of an account's domains, by its plan" },
  isolation: { unmarked: { list: 'links to its domains, which have none' } },
  pages: { '/home/temporary-links': [] },
  accountTables: { temporary_links: 'links that last for days, at a name of this installation' },
};
export default rows;
