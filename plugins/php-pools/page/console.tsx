import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'php-pools',
  order: 22,
  pages: [
    {
      path: '/php',
      title: 'php-pools.title',
      icon: 'window',
      group: 'server',
      isOfNode: true,
      load: () => import('./pools-page.tsx'),
    },
  ],
});
