import type { PluginRows } from '../../support/plugin-rows.ts';

const OF_A_PLAN = 'names of an account, by its plan';

const rows: PluginRows = {
  walk: {
    add: () => ({ body: { domain_url: 'new-shop.example' } }),
    remove: () => ({ body: { domain_url: 'new-shop.example' } }),
    ofAccount: () => ({ path: '/api/accounts/demo/domains' }),
  },
  answered: { list: 'anywhere', add: 'home', remove: 'home', ofAccount: 'anywhere', docker: 'anywhere' },
  bounded: { list: OF_A_PLAN, ofAccount: OF_A_PLAN, docker: OF_A_PLAN },
  isolation: { tellingTaken: ['add'] },
  pages: { '/home/domains': ['Add domain', 'Remove blog.sunny-garden.example'] },
};
export default rows;
