import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'php-pools',
  order: 52,
  pages: [
    {
      path: '/php',
      title: 'php-pools.title',
      icon: 'window',
      isOfNode: true,
      load: () => import('./pools-page.tsx'),
    },
  ],
});
