import { saveDocroots } from '../../../plugins/websites/store.ts';
import type { PluginRows } from '../../support/plugin-rows.ts';

const SEARCHED = 'names of an account, by its plan, and folders searched below each';

const NO_SERVER = 'without a server of MariaDB, databases are files, and nothing is managed';
const OF_LOGIN = { site: 'sunny-garden.example', database_name: 'demo_garden', database_user: 'demo_garden' };
const LOGIN = 'websites and mysql';

const rows: PluginRows = {
  walk: {
    ofAccount: () => ({ path: '/api/accounts/demo/sites' }),
    databaseInfo: () => ({ path: '/api/database_info?domain=sunny-garden.example' }),
  },
  unwalked: { databaseLogin: NO_SERVER, renewLogin: NO_SERVER },
  opened: { autoInstaller: 'autoinstaller', databaseInfo: 'websites', databaseLogin: LOGIN, renewLogin: LOGIN },
  answered: {
    autoInstaller: 'home',
    databaseInfo: 'home',
    databaseLogin: 'home',
    renewLogin: 'home',
    ofAccount: 'named',
  },
  without: {
    domains: { autoInstaller: ['.sites[]', '.counts[]'], ofAccount: ['.sites[]'], databaseInfo: 404 },
  },
  bounded: { autoInstaller: SEARCHED, ofAccount: SEARCHED },
  homes: { paths: { databaseInfo: (username) => `/api/database_info?domain=${username}.example` } },
  isolation: { unmarked: { databaseLogin: 'a refusal' } },
  keepsFound: (core, account) =>
    saveDocroots(core, account, new Map([['a.test', { scope: '[]', stamps: {}, found: [] }]]), []),
  pages: { '/home/sites': [] },
  examples: {
    requests: { renewLogin: { domain: 'sunny-garden.example' } },
    invented: { databaseLogin: { ...OF_LOGIN, state: 'refused' }, renewLogin: { ...OF_LOGIN, state: 'valid' } },
  },
  accountTables: { websites_docroots: 'found anew', websites_sites: 'found anew' },
};
export default rows;
