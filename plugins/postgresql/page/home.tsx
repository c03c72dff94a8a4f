import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'postgresql',
  order: 39,
  pages: [
    {
      path: '/postgresql',
      title: 'postgresql.title',
      icon: 'database',
      features: ['postgresql'],
      load: () => import('./databases-page.tsx'),
    },
  ],
});
