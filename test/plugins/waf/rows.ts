import type { PluginRows } from '../../support/plugin-rows.ts';

const SITE = '/api/site-firewall/harbour-cafe.example';

const rows: PluginRows = {
  walk: {
    set: () => ({ path: SITE, body: { mode: 'off', excluded_ids: [942_100], excluded_tags: ['attack-rce'] } }),
    requests: () => ({ path: `${SITE}/requests` }),
  },
  opened: 'waf',
  answered: 'home',
  without: { domains: { list: ['.sites[]'], set: 404, requests: 404 } },
  bounded: { list: "one for each of an account's domains, by its plan" },
  isolation: {
    unmarked: {
      list: 'how its domains are checked, which it has none of',
      requests: 'those of its domain, if it has one',
    },
  },
  homes: { paths: { requests: (username) => `/api/site-firewall/${username}.example/requests` } },
  pages: {
    '/home/waf': [
      'Change the firewall of blog.sunny-garden.example',
      'Show requests found at blog.sunny-garden.example',
    ],
  },
  accountTables: { waf_requests: 'a log of what happened here', waf_sites: 'archived' },
};
export default rows;
