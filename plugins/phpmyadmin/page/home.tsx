import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'phpmyadmin',
  order: 53,
  pages: [
    {
      path: '/phpmyadmin',
      title: 'phpmyadmin.title',
      icon: 'database',
      group: 'databases',
      features: ['phpmyadmin'],
      load: () => import('./phpmyadmin-page.tsx'),
    },
  ],
});
