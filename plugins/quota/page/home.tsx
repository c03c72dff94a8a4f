import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'quota',
  order: 43,
  pages: [
    {
      path: '/files/usage',
      title: 'quota.usage',
      icon: 'grid',
      features: ['disk_usage', 'inodes'],
      isHidden: true,
      load: () => import('./usage-page.tsx'),
    },
  ],
  parts: [{ page: '/', order: 31, features: ['disk_usage', 'inodes'], load: () => import('./storage-card.tsx') }],
});
