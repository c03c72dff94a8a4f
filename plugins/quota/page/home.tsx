import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'quota',
  order: 0,
  parts: [{ page: '/', order: 31, features: ['disk_usage', 'inodes'], load: () => import('./storage-card.tsx') }],
});
