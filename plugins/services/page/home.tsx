import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'services',
  order: 60,
  pages: [
    {
      path: '/services',
      title: 'services.title',
      icon: 'servers',
      group: 'advanced',
      features: ['redis', 'memcached', 'elasticsearch', 'opensearch', 'varnish'],
      load: () => import('./services-page.tsx'),
    },
  ],
});
