import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'nginx-rules',
  order: 12.5,
  pages: [
    {
      path: '/nginx-rules',
      title: 'nginx-rules.title',
      icon: 'servers',
      features: ['nginx_rules'],
      load: () => import('./rules-page.tsx'),
    },
  ],
});
