import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'logs',
  order: 30,
  parts: [{ page: '/', order: 32, features: ['errors'], load: () => import('./traffic-card.tsx') }],
  pages: [
    {
      path: '/logs',
      title: 'logs.title',
      icon: 'file',
      group: 'traffic',
      features: ['errors'],
      load: () => import('./logs-page.tsx'),
    },
  ],
});
