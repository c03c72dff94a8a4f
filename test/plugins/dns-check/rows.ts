import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = {
  surroundings: () => ({ config: { 'dns-check': { addresses: ['192.0.2.10'], resolvers: ['127.0.0.1:9'] } } }),
  walk: { check: () => ({ path: '/api/dns-check?domain_url=harbour-cafe.example' }) },
  opened: 'domains',
  answered: 'home',
  without: { domains: { check: 404 } },
  isolation: { unmarked: { check: 'the names of its domain, which it asks for' } },
};
export default rows;
