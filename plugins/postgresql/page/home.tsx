import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'postgresql',
  order: 51,
  pages: [
    {
      path: '/postgresql',
      title: 'postgresql.title',
      icon: 'database',
      group: 'databases',
      features: ['postgresql'],
      load: () => import('./databases-page.tsx'),
    },
  ],
});
