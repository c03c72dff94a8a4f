import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'databases',
  order: 52,
  pages: [
    {
      path: '/mysql',
      title: 'databases.title',
      icon: 'database',
      group: 'databases',
      features: ['databases_size_info'],
      load: () => import('./databases-page.tsx'),
    },
  ],
});
