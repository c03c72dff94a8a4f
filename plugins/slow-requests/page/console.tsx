import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'slow-requests',
  order: 51,
  pages: [
    {
      path: '/slow-requests',
      title: 'slow-requests.title',
      icon: 'clock',
      isOfNode: true,
      load: () => import('./console-page.tsx'),
    },
  ],
});
