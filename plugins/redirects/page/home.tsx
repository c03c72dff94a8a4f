import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'redirects',
  order: 11,
  pages: [
    {
      path: '/redirects',
      title: 'redirects.title',
      icon: 'send',
      features: ['redirects'],
      load: () => import('./redirects-page.tsx'),
    },
  ],
});
