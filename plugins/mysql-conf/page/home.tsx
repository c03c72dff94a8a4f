import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'mysql-conf',
  order: 39,
  parts: [
    {
      page: '/databases',
      order: 20,
      features: ['mysql_conf'],
      isWide: true,
      load: () => import('./settings-part.tsx'),
    },
  ],
});
