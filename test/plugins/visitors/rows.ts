import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = {
  walk: { show: () => ({ path: '/api/visitors?domain_url=harbour-cafe.example' }) },
  opened: { show: 'goaccess' },
  answered: 'home',
  isolation: { unmarked: { show: 'counts of its domain, which had no requests' } },
  pages: { '/home/visitors': [] },
  without: {
    domains: { show: 404 },
    logs: { show: ['.countries', '.missing[]', '.pages[]', '.referrers[]', '.statuses[]', '.times[]'] },
  },
  examples: {
    invented: {
      show: {
        domain_url: 'harbour-cafe.example',
        since: '2026-11-17T16:21:23.000Z',
        counted_at: '2026-11-24T16:21:23.000Z',
        truncated: false,
        hits: 1200,
        visitors: 310,
        bytes: 6144000,
        times: [{ time: '2026-11-24', hits: 1200, visitors: 310, bytes: 6144000 }],
        pages: [{ name: '/menu.html', hits: 800, visitors: 250, bytes: 4096000 }],
        missing: [{ name: '/old.html', hits: 12, visitors: 9, bytes: 1800 }],
        statuses: [
          { name: '200', hits: 1188, visitors: 301, bytes: 6142200 },
          { name: '404', hits: 12, visitors: 9, bytes: 1800 },
        ],
        referrers: [{ name: 'search.example', hits: 300, visitors: 120, bytes: 1536000 }],
        countries: [{ name: 'DE', hits: 900, visitors: 240, bytes: 4608000 }],
      },
    },
  },
  bounded: { show: 'hours of a day or days of a month, and the twenty with most requests' },
};
export default rows;
