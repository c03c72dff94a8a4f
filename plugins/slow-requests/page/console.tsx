import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'slow-requests',
  order: 24,
  pages: [
    {
      path: '/slow-requests',
      title: 'slow-requests.title',
      icon: 'clock',
      group: 'server',
      isOfNode: true,
      load: () => import('./console-page.tsx'),
    },
  ],
});
