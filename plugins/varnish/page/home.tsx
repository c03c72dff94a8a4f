import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'varnish',
  order: 41.5,
  pages: [
    {
      path: '/varnish',
      title: 'varnish.title',
      icon: 'gauge',
      features: ['varnish'],
      load: () => import('./varnish-page.tsx'),
    },
  ],
});
