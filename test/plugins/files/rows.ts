import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = {
  walk: { list: () => ({ path: '/api/folders/var/www/html' }) },
  answered: 'home',
  bounded: { list: 'files.max_folders', root: 'files.max_folders' },
  homes: { paths: { list: (username) => `/api/folders/of-${username}` } },
  pages: { '/home/files': [] },
};
export default rows;
