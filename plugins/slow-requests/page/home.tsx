import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'slow-requests',
  order: 12,
  pages: [
    {
      path: '/slow-requests',
      title: 'slow-requests.title',
      icon: 'clock',
      features: ['errors'],
      load: () => import('./home-page.tsx'),
    },
  ],
});
