import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = {
  walk: {
    set: () => ({
      path: '/api/site-settings/harbour-cafe.example',
      body: {
        index_files: ['start.html'],
        caching: [{ kind: 'images', seconds: 86_400 }],
        headers: [{ name: 'Referrer-Policy', value: 'same-origin' }],
        upload_mib: 64,
      },
    }),
  },
  opened: 'webserver_conf',
  answered: 'home',
  without: { domains: { list: ['.sites[]'], set: 404 } },
  bounded: { list: "one for each of an account's domains, by its plan" },
  isolation: { unmarked: { list: 'how its domains are served, which it has none of' } },
  pages: { '/home/webserver-conf': ['Change how blog.sunny-garden.example is served'] },
  accountTables: { site_settings: 'archived' },
};
export default rows;
