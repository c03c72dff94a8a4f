import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = {
  walk: { size: () => ({ path: '/api/database-size?database=shop.sqlite' }) },
  opened: { usage: 'mysql', size: 'databases_size_info', sizes: 'databases_size_info' },
  answered: 'home',
  bounded: { sizes: 'databases of an account on its server, and the limit of a reply' },
  isolation: { unmarked: { usage: 'a number', size: 'a figure' } },
  homes: { paths: { size: () => '/api/database-size?database=shop' } },
  pages: { '/home/mysql': [] },
  accountTables: { database_counts: 'counted anew' },
};
export default rows;
