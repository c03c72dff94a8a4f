import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'backups',
  order: 31,
  pages: [
    {
      path: '/backups',
      title: 'backups.title',
      about: 'backups.about',
      icon: 'shield',
      features: ['backups'],
      load: () => import('./backups-page.tsx'),
    },
  ],
});
