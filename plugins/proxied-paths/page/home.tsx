import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'proxied-paths',
  order: 12.5,
  pages: [
    {
      path: '/proxied-paths',
      title: 'proxied-paths.title',
      icon: 'box',
      features: ['webserver_conf'],
      load: () => import('./proxied-paths-page.tsx'),
    },
  ],
});
