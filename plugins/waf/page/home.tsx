import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'waf',
  order: 12,
  pages: [
    { path: '/waf', title: 'waf.title', icon: 'shield', features: ['waf'], load: () => import('./waf-page.tsx') },
  ],
});
