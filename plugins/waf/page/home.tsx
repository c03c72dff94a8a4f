import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'waf',
  order: 22,
  pages: [
    {
      path: '/waf',
      title: 'waf.title',
      icon: 'shield',
      group: 'security',
      features: ['waf'],
      load: () => import('./waf-page.tsx'),
    },
  ],
});
