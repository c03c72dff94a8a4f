import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'php',
  order: 12,
  pages: [
    {
      path: '/php',
      title: 'php.title',
      icon: 'gauge',
      group: 'sites',
      features: ['php', 'php_options', 'php_ini'],
      load: () => import('./php-page.tsx'),
    },
  ],
});
