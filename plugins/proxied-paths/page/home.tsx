import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'proxied-paths',
  order: 64,
  pages: [
    {
      path: '/proxied-paths',
      title: 'proxied-paths.title',
      icon: 'box',
      group: 'advanced',
      features: ['webserver_conf'],
      load: () => import('./proxied-paths-page.tsx'),
    },
  ],
});
