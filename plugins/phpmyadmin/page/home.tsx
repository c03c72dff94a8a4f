import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'phpmyadmin',
  order: 40,
  pages: [
    {
      path: '/phpmyadmin',
      title: 'phpmyadmin.title',
      icon: 'database',
      features: ['phpmyadmin'],
      load: () => import('./phpmyadmin-page.tsx'),
    },
  ],
});
