import { saveDocroots } from '../../../plugins/websites/store.ts';
import type { PluginRows } from '../../support/plugin-rows.ts';

const SEARCHED = 'names of an account, by its plan, and folders searched below each';

const rows: PluginRows = {
  walk: {
    ofAccount: () => ({ path: '/api/accounts/demo/sites' }),
    databaseInfo: () => ({ path: '/api/database_info?domain=sunny-garden.example' }),
  },
  opened: { autoInstaller: 'autoinstaller', databaseInfo: 'websites' },
  answered: { autoInstaller: 'home', databaseInfo: 'home', ofAccount: 'named' },
  without: {
    domains: { autoInstaller: ['.sites[]', '.counts[]'], ofAccount: ['.sites[]'], databaseInfo: 404 },
  },
  bounded: { autoInstaller: SEARCHED, ofAccount: SEARCHED },
  homes: { paths: { databaseInfo: (username) => `/api/database_info?domain=${username}.example` } },
  keepsFound: (core, account) =>
    saveDocroots(core, account, new Map([['a.test', { scope: '[]', stamps: {}, found: [] }]]), []),
  pages: { '/home/sites': [] },
  accountTables: { websites_docroots: 'found anew', websites_sites: 'found anew' },
};
export default rows;
