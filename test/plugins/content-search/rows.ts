import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = {
  // enough for a busy machine to search all
  surroundings: () => ({ config: { 'content-search': { seconds: 120 } } }),
  walk: { search: () => ({ path: '/api/content-search?text=harbour' }) },
  opened: 'filemanager',
  answered: 'home',
  homes: { paths: { search: (username) => `/api/content-search?text=${username}` } },
  isolation: { unmarked: { search: 'lines of files, in which the mark is not' } },
  pages: { '/home/files/search': [] },
};
export default rows;
