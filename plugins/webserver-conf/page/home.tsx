import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'webserver-conf',
  order: 62,
  pages: [
    {
      path: '/webserver-conf',
      title: 'webserver-conf.title',
      icon: 'servers',
      group: 'advanced',
      features: ['webserver_conf'],
      load: () => import('./sites-page.tsx'),
    },
  ],
});
