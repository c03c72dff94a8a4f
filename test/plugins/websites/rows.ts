import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = {
  walk: { databaseInfo: () => ({ path: '/api/database_info?domain=sunny-garden.example' }) },
  answered: 'home',
  bounded: { autoInstaller: 'names of an account, by its plan, and folders searched below each' },
  homes: { paths: { databaseInfo: (username) => `/api/database_info?domain=${username}.example` } },
  pages: { '/home/sites': [] },
};
export default rows;
