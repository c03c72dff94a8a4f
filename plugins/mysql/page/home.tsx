import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'mysql',
  order: 39,
  pages: [
    {
      path: '/databases',
      title: 'mysql.title',
      icon: 'database',
      features: ['mysql'],
      load: () => import('./databases-page.tsx'),
    },
  ],
});
