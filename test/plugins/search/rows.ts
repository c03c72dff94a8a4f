import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = {
  answered: 'home',
  isolation: { unmarked: { features: 'features of the server' } },
  homes: {
    paths: {
      files: () => '/api/search/files?q=secret',
      folders: () => '/api/search/folders?q=of',
      features: () => '/api/search/features?q=files',
      websites: () => '/api/search/websites?q=shop',
    },
  },
};
export default rows;
