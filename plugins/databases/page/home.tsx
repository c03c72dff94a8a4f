import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'databases',
  order: 40,
  pages: [
    {
      path: '/mysql',
      title: 'databases.title',
      icon: 'database',
      features: ['databases_size_info'],
      load: () => import('./databases-page.tsx'),
    },
  ],
});
