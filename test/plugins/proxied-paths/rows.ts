import type { PluginRows } from '../../support/plugin-rows.ts';

const PATH = { path: '/api', container: 'shop-api-1', port: 3000, strips_path: true, state: 'served' };
const SITE = { domain_url: 'shop.example', paths: [PATH] };

const rows: PluginRows = {
  // without a path, as the engine of these tests names no container
  walk: { set: () => ({ path: '/api/proxied-paths/harbour-cafe.example', body: { paths: [] } }) },
  opened: 'webserver_conf',
  answered: 'home',
  without: {
    domains: { list: ['.sites[]'], set: 404 },
    containers: { list: ['.containers[]'] },
  },
  bounded: { list: "one for each of an account's domains, by its plan, and one for each of its containers" },
  isolation: { unmarked: { list: 'the paths of its domains, and its containers, of which it has none' } },
  pages: { '/home/proxied-paths': ['Containers behind blog.sunny-garden.example'] },
  examples: {
    invented: { list: { sites: [SITE], containers: [{ name: 'shop-api-1', ports: [3000] }] }, set: SITE },
  },
  accountTables: { proxied_paths: 'archived' },
};
export default rows;
