import type { PluginRows } from '../../support/plugin-rows.ts';

const OF_A_PLAN = 'names of an account, by its plan';

const rows: PluginRows = {
  walk: {
    add: () => ({ body: { domain_url: 'new-shop.example' } }),
    remove: () => ({ body: { domain_url: 'new-shop.example' } }),
    search: () => ({ path: '/api/domains?q=garden' }),
    ofAccount: () => ({ path: '/api/accounts/demo/domains' }),
  },
  opened: 'domains',
  answered: {
    list: 'anywhere',
    add: 'home',
    remove: 'home',
    search: 'anywhere',
    ofAccount: 'anywhere',
    docker: 'anywhere',
  },
  bounded: { docker: OF_A_PLAN },
  isolation: { tellingTaken: ['add'] },
  pages: { '/home/domains': ['Add domain', 'Remove blog.sunny-garden.example'] },
};
export default rows;
