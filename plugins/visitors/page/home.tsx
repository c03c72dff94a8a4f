import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'visitors',
  order: 30,
  pages: [
    {
      path: '/visitors',
      title: 'visitors.title',
      icon: 'users',
      group: 'traffic',
      features: ['goaccess'],
      load: () => import('./visitors-page.tsx'),
    },
  ],
});
