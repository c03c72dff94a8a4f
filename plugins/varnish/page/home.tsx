import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'varnish',
  order: 65,
  pages: [
    {
      path: '/varnish',
      title: 'varnish.title',
      icon: 'gauge',
      group: 'advanced',
      features: ['varnish'],
      load: () => import('./varnish-page.tsx'),
    },
  ],
});
