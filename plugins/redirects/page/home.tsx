import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'redirects',
  order: 13,
  pages: [
    {
      path: '/redirects',
      title: 'redirects.title',
      icon: 'send',
      group: 'sites',
      features: ['redirects'],
      load: () => import('./redirects-page.tsx'),
    },
  ],
});
