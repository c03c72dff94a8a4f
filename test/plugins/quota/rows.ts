import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = {
  answered: 'home',
  isolation: { unmarked: { usage: 'figures', size: 'figures' } },
  homes: { paths: { size: (username) => `/api/directory-size?folder=/of-${username}` }, changing: ['usage'] },
  measured: ['/api/disk_inodes'],
};
export default rows;
