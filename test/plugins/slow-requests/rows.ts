import type { PluginRows } from '../../support/plugin-rows.ts';

const PATH = {
  ...{ domain_url: 'harbour-cafe.example', method: 'GET', path: '/menu/search', requests: 41 },
  ...{ total_ms: 190_240, average_ms: 4640, last_at: '2026-11-24T16:21:23.000Z' },
  ...{ slowest_ms: 12_310, slowest_at: '2026-11-23T09:02:11.000Z', slowest_status: 200 },
};
const PAGE = { slow_seconds: 2, since: '2026-11-17', next_cursor: null };

const rows: PluginRows = {
  opened: { list: 'errors' },
  answered: { list: 'home', all: 'node' },
  without: { domains: { list: ['.paths[]'], all: ['.paths[]'] } },
  isolation: { unmarked: { list: 'what was slow at its domains, which nobody has asked' } },
  pages: { '/home/slow-requests': [], '/console/slow-requests': [] },
  accountTables: { slow_requests: 'a log of what happened here' },
  examples: {
    invented: {
      list: { counted: true, ...PAGE, paths: [{ ...PATH, slowest_query: 'q=oysters&sort=price' }] },
      all: { ...PAGE, paths: [{ username: 'demo', ...PATH }] },
    },
  },
};
export default rows;
