import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'mysql-conf',
  order: 23,
  pages: [
    {
      path: '/database-servers',
      title: 'mysql-conf.servers',
      icon: 'database',
      group: 'server',
      isOfNode: true,
      load: () => import('./servers-page.tsx'),
    },
  ],
});
