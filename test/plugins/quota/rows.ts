import { keepSample } from '../../../plugins/quota/store.ts';
import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = {
  opened: 'disk_usage or inodes',
  answered: 'home',
  isolation: { unmarked: { usage: 'figures', size: 'figures' } },
  bounded: { largest: 'at most 100 by size, and as many by names' },
  homes: {
    paths: {
      size: (username) => `/api/directory-size?folder=/of-${username}`,
      largest: (username) => `/api/largest-folders?folder=/of-${username}`,
    },
    changing: ['usage'],
  },
  pages: { '/home/files/usage': [] },
  keepsFound: (core, account) =>
    keepSample({ local: core.local, identity: core }, account, { bytes: 1, inodes: 1, at: 1 }, 1),
  measured: ['/api/disk_inodes'],
  accountTables: {
    quota_notices: 'told again by what is measured',
    quota_samples: 'measured anew',
    quota_largest: 'measured anew',
  },
};
export default rows;
