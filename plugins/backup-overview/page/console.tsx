import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'backup-overview',
  order: 12,
  pages: [
    {
      path: '/account-backups',
      title: 'backup-overview.title',
      icon: 'shield',
      group: 'backups',
      isOfNode: true,
      load: () => import('./overview-page.tsx'),
    },
  ],
});
