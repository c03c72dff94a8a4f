import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'mysql',
  order: 50,
  pages: [
    {
      path: '/databases',
      title: 'mysql.title',
      icon: 'database',
      group: 'databases',
      features: ['mysql'],
      load: () => import('./databases-page.tsx'),
    },
  ],
});
