import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'backup-copies',
  order: 66,
  pages: [
    {
      path: '/backup-copies',
      title: 'backup-copies.title',
      icon: 'shield',
      isOfNode: true,
      load: () => import('./copies-page.tsx'),
    },
  ],
});
