import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'slow-requests',
  order: 31,
  pages: [
    {
      path: '/slow-requests',
      title: 'slow-requests.title',
      icon: 'clock',
      group: 'traffic',
      features: ['errors'],
      load: () => import('./home-page.tsx'),
    },
  ],
});
