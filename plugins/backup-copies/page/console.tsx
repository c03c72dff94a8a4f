import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'backup-copies',
  order: 13,
  pages: [
    {
      path: '/backup-copies',
      title: 'backup-copies.title',
      icon: 'shield',
      group: 'backups',
      isOfNode: true,
      load: () => import('./copies-page.tsx'),
    },
  ],
});
