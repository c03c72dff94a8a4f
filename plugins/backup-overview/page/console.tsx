import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'backup-overview',
  order: 65,
  pages: [
    {
      path: '/account-backups',
      title: 'backup-overview.title',
      icon: 'shield',
      isOfNode: true,
      load: () => import('./overview-page.tsx'),
    },
  ],
});
