import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'nginx-rules',
  order: 63,
  pages: [
    {
      path: '/nginx-rules',
      title: 'nginx-rules.title',
      icon: 'servers',
      group: 'advanced',
      features: ['nginx_rules'],
      load: () => import('./rules-page.tsx'),
    },
  ],
});
