import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = {
  // without Varnish, as no account of the demo has switched it on
  walk: { set: () => ({ path: '/api/site-cache/harbour-cafe.example', body: { cached: false } }) },
  opened: 'varnish',
  answered: 'home',
  without: { domains: { list: ['.sites[]'], set: 404 } },
  bounded: { list: "one for each of an account's domains, by its plan" },
  isolation: { unmarked: { list: 'whether Varnish stands before its domains, which it has none of' } },
  pages: { '/home/varnish': [] },
  accountTables: { varnish_sites: 'archived' },
};
export default rows;
