import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'events',
  order: 50,
  pages: [
    {
      path: '/events',
      title: 'events.title',
      icon: 'clock',
      group: 'activity',
      load: () => import('./events-page.tsx'),
    },
  ],
});
