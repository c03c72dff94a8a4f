import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'webhooks',
  order: 60,
  pages: [
    {
      path: '/webhooks',
      title: 'webhooks.title',
      icon: 'send',
      group: 'activity',
      load: () => import('./webhooks-page.tsx'),
    },
  ],
});
