import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'services',
  order: 41,
  pages: [
    {
      path: '/services',
      title: 'services.title',
      icon: 'servers',
      features: ['redis', 'memcached', 'elasticsearch', 'opensearch', 'varnish'],
      load: () => import('./services-page.tsx'),
    },
  ],
});
