import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'mysql-conf',
  order: 64,
  pages: [
    {
      path: '/database-servers',
      title: 'mysql-conf.servers',
      icon: 'database',
      isOfNode: true,
      load: () => import('./servers-page.tsx'),
    },
  ],
});
