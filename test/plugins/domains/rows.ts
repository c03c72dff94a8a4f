import type { PluginRows } from '../../support/plugin-rows.ts';

const OF_A_PLAN = 'names of an account, by its plan';

const rows: PluginRows = {
  walk: {
    add: () => ({ body: { domain_url: 'new-shop.example' } }),
    suspend: () => ({ path: '/api/domains/new-shop.example/suspended', body: { suspended: true } }),
    setDocroot: () => ({ path: '/api/domains/new-shop.example/docroot', body: { docroot: 'new-shop/public' } }),
    addAlias: () => ({ body: { domain_url: 'new-shop.example', alias: 'new-shop-too.example' } }),
    removeAlias: () => ({ path: '/api/aliases/new-shop-too.example' }),
    setSpelling: () => ({ path: '/api/domains/new-shop.example/shown-as', body: { shown_as: 'New-Shop.example' } }),
    remove: () => ({ body: { domain_url: 'new-shop.example' } }),
    search: () => ({ path: '/api/domains?q=garden' }),
    ofAccount: () => ({ path: '/api/accounts/demo/domains' }),
    addTo: () => ({ path: '/api/accounts/demo/domains', body: { domain_url: 'second-shop.example' } }),
    removeFrom: () => ({ path: '/api/accounts/demo/domains/second-shop.example' }),
    hold: () => ({ path: '/api/accounts/demo/domains/harbour-cafe.example/suspended', body: { suspended: false } }),
  },
  opened: {
    ...Object.fromEntries(
      ['list', 'add', 'suspend', 'setDocroot', 'addAlias', 'removeAlias', 'remove', 'docker'].map((route) => [
        route,
        'domains',
      ]),
    ),
    setSpelling: 'capitalize_domains',
  },
  answered: {
    list: 'anywhere',
    add: 'home',
    suspend: 'home',
    setDocroot: 'home',
    addAlias: 'home',
    removeAlias: 'home',
    setSpelling: 'home',
    remove: 'home',
    search: 'anywhere',
    ofAccount: 'anywhere',
    addTo: 'named',
    removeFrom: 'named',
    hold: 'named',
    docker: 'anywhere',
  },
  bounded: { docker: OF_A_PLAN },
  isolation: { tellingTaken: ['add', 'addAlias'] },
  pages: {
    '/console/accounts/demo': ['Add domain', 'Suspend harbour-cafe.example', 'Remove harbour-cafe.example'],
    '/home/domains': [
      'Add domain',
      'Change blog.sunny-garden.example',
      'Aliases of blog.sunny-garden.example',
      'Remove blog.sunny-garden.example',
    ],
  },
  accountTables: { domain_aliases: 'archived', domains: 'archived' },
};
export default rows;
