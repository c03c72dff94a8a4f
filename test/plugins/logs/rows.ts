import type { PluginRows } from '../../support/plugin-rows.ts';

const OF_DOMAIN = '?domain_url=harbour-cafe.example';

const rows: PluginRows = {
  walk: {
    lines: () => ({ path: `/api/logs/lines${OF_DOMAIN}` }),
    stream: () => ({ path: `/api/logs/stream${OF_DOMAIN}` }),
    download: () => ({ path: `/api/logs/download${OF_DOMAIN}` }),
  },
  opened: {
    ...{ list: 'errors', lines: 'errors', stream: 'errors', download: 'errors', traffic: 'errors' },
  },
  answered: 'home',
  isolation: { unmarked: { lines: 'requests of its domain, which had none', stream: 'the same', traffic: 'figures' } },
  pages: { '/home/logs': [] },
  without: { domains: { list: ['.logs[]'], lines: 404, stream: 404, download: 404 } },
  examples: {
    invented: {
      list: {
        written: true,
        logs: [
          {
            domain_url: 'harbour-cafe.example',
            access_bytes: 1048576,
            error_bytes: 2048,
            written_at: '2026-11-24T16:21:23.000Z',
          },
        ],
        kept_mib: 100,
        kept_days: 30,
      },
      lines: {
        lines: [
          {
            at: '2026-11-24T16:21:23.000Z',
            ip: '203.0.113.7',
            method: 'GET',
            path: '/menu.html?lang=en',
            status: 200,
            bytes: 5120,
            referrer: 'https://search.example/',
            agent: 'Mozilla/5.0',
            level: null,
            text: '203.0.113.7 - - [24/Nov/2026:16:21:23 +0000] "GET /menu.html?lang=en HTTP/1.1" 200 5120 "https://search.example/" "Mozilla/5.0"',
          },
        ],
        next_cursor: '3.917504',
      },
      traffic: { counted: true, since: '2026-11-01', requests: 41200, bytes: 734003200, limit_mib: 10240 },
    },
  },
  bounded: {
    list: 'domains of the account, by its plan',
  },
  accountTables: {
    logs_notices: 'told again by what is measured',
    logs_sites: 'figures of the logs of this machine',
    logs_traffic: 'figures of the logs of this machine',
  },
};
export default rows;
