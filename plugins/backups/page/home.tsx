import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'backups',
  order: 45,
  pages: [
    {
      path: '/backups',
      title: 'backups.title',
      about: 'backups.about',
      icon: 'shield',
      group: 'storage',
      features: ['backups'],
      load: () => import('./backups-page.tsx'),
    },
  ],
});
